package io.interlock.benchmark.scenario;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.interlock.benchmark.contestant.Clients;
import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.contestant.Locks;
import io.interlock.benchmark.load.Load;
import io.interlock.benchmark.load.LoadPlan;
import io.interlock.benchmark.load.Pace;
import io.interlock.testsupport.proxy.TcpProxy;
import org.apache.curator.framework.CuratorFramework;

/**
 * A lock that comes back to the same instance: how often one thread gets it, and how long
 * another instance waits for it while it is idle.
 */
final class AffinityScenario implements Scenario {

	private static final double GOAL_PER_SECOND = 200_000;

	private static final int GOAL_ROUND_TRIPS = 2;

	private static final Duration LINE = Duration.ofMillis(5);

	private static final int HAND_OVERS = 20;

	/** Time for the idle instance to ask the servers to be told of other contenders. */
	private static final long NANOS_IDLE = TimeUnit.MILLISECONDS.toNanos(100);

	private static final List<Contestant> CONTESTANTS = List.of(Contestant.INTERLOCK_LINGER,
			Contestant.INTERLOCK_ANNOTATED_LINGER, Contestant.INTERLOCK, Contestant.CURATOR_SHARED);

	@Override
	public String name() {
		return "affinity";
	}

	@Override
	public String title() {
		return "One thread, the same key again and again, and another instance that wants it";
	}

	@Override
	public String run(Site site) throws Exception {
		return again(site) + "\n" + elsewhere(site);
	}

	private static Table again(Site site) throws InterruptedException {
		double[][] rates = new double[CONTESTANTS.size()][site.rounds()];
		for (int round = 0; round < site.rounds(); round++) {
			for (int i = 0; i < rates.length; i++) {
				try (Locks locks = CONTESTANTS.get(i).connect(site.connectString(1))) {
					rates[i][round] = Load.run(LoadPlan.hot(1, Duration.ZERO), locks, Pace.of(site.seconds()))
						.orFail()
						.rate();
				}
			}
		}
		Table table = new Table(List.of("", "locks/s", "lowest to highest", "goal"));
		for (int i = 0; i < rates.length; i++) {
			Contestant contestant = CONTESTANTS.get(i);
			boolean goal = contestant == Contestant.INTERLOCK_LINGER;
			Figures figures = new Figures(rates[i]);
			table.add(List.of(contestant.title(), Table.number(figures.median()), figures.range(),
					goal ? Table.goal(Table.number(GOAL_PER_SECOND), figures.median() >= GOAL_PER_SECOND) : ""));
		}
		return table;
	}

	/** The unit is a write on the same line, measured beside it. */
	private static Table elsewhere(Site site) throws Exception {
		double write = writes(site).median();
		Table table = new Table(
				List.of("On a line of 5 ms more", "median wait, ms", "longest wait, ms", "round trips", "goal"));
		table.add(List.of("a write, answered", Table.number(Readings.millis(write)), "", "1.00"));
		for (Contestant contestant : List.of(Contestant.INTERLOCK_LINGER, Contestant.INTERLOCK)) {
			Figures waits = waits(contestant, site);
			double roundTrips = waits.median() / write;
			boolean goal = contestant == Contestant.INTERLOCK_LINGER;
			table.add(List.of(contestant.title(), Table.number(Readings.millis(waits.median())),
					Table.number(Readings.millis(waits.highest())), Table.number(roundTrips),
					goal ? Table.goal(Integer.toString(GOAL_ROUND_TRIPS), Math.round(roundTrips) <= GOAL_ROUND_TRIPS)
							: ""));
		}
		return table;
	}

	private static Figures writes(Site site) throws Exception {
		try (TcpProxy line = site.line(LINE); CuratorFramework client = Clients.connect(line.connectString())) {
			double[] nanos = new double[HAND_OVERS];
			for (int i = 0; i < nanos.length; i++) {
				long startedAt = System.nanoTime();
				client.setData().forPath("/", new byte[0]);
				nanos[i] = System.nanoTime() - startedAt;
			}
			return new Figures(nanos);
		}
	}

	/** Each key is used once, because afterwards it stays with the other instance. */
	private static Figures waits(Contestant contestant, Site site) throws Exception {
		try (TcpProxy line = site.line(LINE);
				TcpProxy otherLine = site.line(LINE);
				Locks locks = contestant.connect(line.connectString());
				Locks otherLocks = contestant.connect(otherLine.connectString())) {
			double[] nanos = new double[HAND_OVERS];
			AtomicLong begunAt = new AtomicLong();
			for (int i = 0; i < nanos.length; i++) {
				String key = "affinity-" + i;
				locks.exclusively(key, () -> {
				});
				LockSupport.parkNanos(NANOS_IDLE);
				long askedAt = System.nanoTime();
				otherLocks.exclusively(key, () -> begunAt.set(System.nanoTime()));
				nanos[i] = begunAt.get() - askedAt;
			}
			return new Figures(nanos);
		}
	}

}

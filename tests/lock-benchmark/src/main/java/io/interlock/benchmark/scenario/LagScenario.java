package io.interlock.benchmark.scenario;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.LongStream;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.contestant.Locks;
import io.interlock.benchmark.load.ExclusionCheck;
import io.interlock.benchmark.load.ExclusionViolation;
import io.interlock.benchmark.load.Load;
import io.interlock.benchmark.load.LoadPlan;
import io.interlock.benchmark.load.Pace;
import io.interlock.benchmark.load.PlainExclusionCheck;
import io.interlock.benchmark.load.Tally;
import io.interlock.benchmark.store.LaggingZooKeepers;
import org.jspecify.annotations.Nullable;

/**
 * A client of a follower that learns late what its leader has decided: what a free lock
 * costs, and a turn with a client of the leader.
 */
final class LagScenario extends SizeScenario {

	private static final long[] MILLIS = { 0, 10, 50 };

	private static final long WARM_UP = 2000;

	private @Nullable LaggingZooKeepers servers;

	LagScenario() {
		super("size-lag", "Ensemble of three servers: a client whose follower is far from the leader, 1 thread",
				"ms more a round trip", List.of(Contestant.INTERLOCK, Contestant.CURATOR_PER_CALL));
	}

	@Override
	LongStream sizes(Site site) {
		return LongStream.of(MILLIS);
	}

	@Override
	public String run(Site site) throws Exception {
		try (LaggingZooKeepers started = new LaggingZooKeepers()) {
			this.servers = started;
			for (Contestant contestant : List.of(Contestant.INTERLOCK, Contestant.CURATOR_PER_CALL)) {
				try (Locks locks = contestant.connect(started.follower())) {
					new KeyLoad(locks, "warm", WARM_UP, 1).awaitEnd();
				}
			}
			return "%s%nTurns are those of two clients that want the same lock, of the follower and of the leader.%n"
				.formatted(super.run(site));
		}
	}

	@Override
	Map<String, Double> measure(Contestant contestant, long millis, Site site) throws InterruptedException {
		LaggingZooKeepers servers = Objects.requireNonNull(this.servers);
		servers.lag(Duration.ofMillis(millis));
		try (Locks far = contestant.connect(servers.follower()); Locks near = contestant.connect(servers.leader())) {
			double locks = Load.run(LoadPlan.uncontended(1), far, Pace.of(site.seconds())).orFail().rate();
			Map<String, Double> readings = new LinkedHashMap<>();
			readings.put("ms a lock", 1000 / locks);
			readings.put("locks/s", locks);
			readings.putAll(turns(far, near, Pace.of(site.seconds())));
			return readings;
		}
	}

	private static Map<String, Double> turns(Locks far, Locks near, Pace pace) {
		ExclusionCheck check = new PlainExclusionCheck();
		CompletableFuture<Tally> other = CompletableFuture.supplyAsync(() -> run(near, pace, check, 2));
		Tally own = run(far, pace, check, 1);
		Tally both = own.plus(other.join()).orFail();
		if (check.exclusiveHolders() != both.exclusiveHolders()) {
			throw new ExclusionViolation(
					"%d holders, but %d seen".formatted(both.exclusiveHolders(), check.exclusiveHolders()));
		}
		Map<String, Double> readings = new LinkedHashMap<>();
		readings.put("turns/s", both.rate());
		readings.put("of the client of the follower, %", 100.0 * own.operations() / both.operations());
		return readings;
	}

	private static Tally run(Locks locks, Pace pace, ExclusionCheck check, int part) {
		try {
			return Load.run(LoadPlan.hot(1, Duration.ZERO), locks, pace, check, part);
		}
		catch (InterruptedException ex) {
			throw new CompletionException(ex);
		}
	}

}

package io.interlock.faults.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.interlock.faults.check.Checker;
import io.interlock.faults.check.Coverage;
import io.interlock.faults.check.DeadlineChecker;
import io.interlock.faults.check.ExclusionChecker;
import io.interlock.faults.check.History;
import io.interlock.faults.check.LapseChecker;
import io.interlock.faults.check.LossChecker;
import io.interlock.faults.check.SilenceChecker;
import io.interlock.faults.check.StillLock.Contender;
import io.interlock.faults.check.TokenOrderChecker;
import io.interlock.faults.check.Violation;
import io.interlock.faults.check.Witness;
import io.interlock.faults.time.Lapse;
import io.interlock.faults.worker.Fleet;
import io.interlock.faults.worker.WorkerProcess;
import io.interlock.faults.worker.Workload;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A run on a store of leases: what {@link FaultRun} is on an ensemble.
 */
public final class LeaseFaultRun {

	private static final List<Duration> LEASES = List.of(Duration.ofSeconds(3), Duration.ofSeconds(4),
			Duration.ofSeconds(6));

	/**
	 * Longer than the longest silence that is allowed in it.
	 */
	private static final Duration CALM = Duration.ofSeconds(20);

	/**
	 * The longest body, 9 s, or the longest lease of a worker that is gone, and the
	 * longest lease of a waiter in front that is gone too.
	 */
	private static final Duration LONGEST_SILENCE = Duration.ofSeconds(16);

	/**
	 * Twice, and the clock may be set back meanwhile.
	 */
	private static final Duration LONGEST_SILENCE_UNDER_FAULTS = LONGEST_SILENCE.multipliedBy(2).plusSeconds(6);

	private final LeaseServers servers;

	private final long seed;

	private final Duration duration;

	private final Path directory;

	private final History history = new History();

	private final List<WorkerProcess> workers = new ArrayList<>();

	private final List<Violation> leftovers = new ArrayList<>();

	private volatile boolean observing = true;

	private volatile long faultsFrom;

	private volatile long calmFrom;

	private long calmTo;

	private LeaseFaultRun(LeaseServers servers, long seed, Duration duration, Path directory) {
		this.servers = servers;
		this.seed = seed;
		this.duration = duration;
		this.directory = directory;
	}

	/**
	 * Run on PostgreSQL.
	 * @param seed what to choose the faults by
	 * @param duration how long to let them happen
	 * @param directory where the workers log
	 * @return what happened, and what of it should not have
	 * @throws Exception if the suite itself failed
	 */
	public static Verdict onPostgres(long seed, Duration duration, Path directory) throws Exception {
		try (LeaseServers servers = new PostgresLeases()) {
			return new LeaseFaultRun(servers, seed, duration, directory).run();
		}
	}

	/**
	 * Run on Redis.
	 * @param seed what to choose the faults by
	 * @param duration how long to let them happen
	 * @param directory where the workers log
	 * @return what happened, and what of it should not have
	 * @throws Exception if the suite itself failed
	 */
	public static Verdict onRedis(long seed, Duration duration, Path directory) throws Exception {
		try (LeaseServers servers = new RedisLeases()) {
			return new LeaseFaultRun(servers, seed, duration, directory).run();
		}
	}

	/**
	 * Run on a cluster of Redis.
	 * @param seed what to choose the faults by
	 * @param duration how long to let them happen
	 * @param directory where the workers log
	 * @return what happened, and what of it should not have
	 * @throws Exception if the suite itself failed
	 */
	public static Verdict onRedisCluster(long seed, Duration duration, Path directory) throws Exception {
		try (LeaseServers servers = new RedisClusterLeases()) {
			return new LeaseFaultRun(servers, seed, duration, directory).run();
		}
	}

	private Verdict run() throws Exception {
		List<Fault> faults = this.servers.faults();
		Coverage coverage = Coverage.ofLeases(faults.stream().map(Fault::kind).collect(Collectors.toSet()),
				this.servers.endLeasesEarly());
		try (Witness witness = new Witness(this.history)) {
			try {
				startWorkers(witness.port());
				Thread observer = new Thread(this::observe, "observer");
				observer.setDaemon(true);
				observer.start();
				Onlooker onlooker = new Onlooker(this.history, this.workers, () -> liveness(System.nanoTime()),
						this::leasesOf);
				letFaultsHappen(faults, coverage);
				this.calmFrom = System.nanoTime();
				Lapse.of(CALM);
				this.calmTo = System.nanoTime();
				onlooker.stop();
				this.observing = false;
				lookForLeftovers();
			}
			finally {
				this.workers.forEach(WorkerProcess::close);
			}
		}
		return verdict(coverage);
	}

	private void startWorkers(int witnessPort) {
		List<Fleet> members = this.servers.members();
		for (int i = 0; i < members.size(); i++) {
			String name = "worker" + (i + 1);
			Duration lease = LEASES.get(i % LEASES.size());
			this.history.lease(name, lease);
			this.workers.add(new WorkerProcess(name, members.get(i), lease, this.servers.ports(), this.servers::address,
					witnessPort, this.directory.resolve(name + ".log"), false));
		}
	}

	private void letFaultsHappen(List<Fault> faults, Coverage coverage) throws InterruptedException {
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.until(() -> this.history.holds().size() > 10 * this.workers.size());
		this.faultsFrom = System.nanoTime();
		long until = System.nanoTime() + this.duration.toNanos();
		new Chaos(this.seed, () -> goesOn(until, coverage), faults,
				(fault, random) -> new Site(fault, random, this.workers, this.history, false))
			.run();
	}

	private boolean goesOn(long until, Coverage coverage) {
		long now = System.nanoTime();
		return now < until || (now - until < this.duration.toNanos() && !coverage.check(this.history).isEmpty());
	}

	/**
	 * Note that the server serves a client that no fault touches.
	 */
	private void observe() {
		try {
			while (this.observing) {
				try {
					this.servers.time();
					this.history.served(System.nanoTime());
				}
				catch (Exception ex) {
					// Not now.
				}
				Lapse.of(Duration.ofMillis(200));
			}
		}
		catch (InterruptedException ex) {
			// The run is over.
		}
	}

	/**
	 * What was forgotten and is not renewed ends with its lease, mostly before this. What
	 * an instance goes on to renew is left for ever.
	 */
	private void lookForLeftovers() throws Exception {
		this.leftovers.addAll(Rest.of(this.workers).hanging());
		try {
			Awaitility.await().atMost(Duration.ofSeconds(2)).until(() -> this.servers.left().isEmpty());
		}
		catch (ConditionTimeoutException ex) {
			this.servers.left().forEach((lease) -> this.leftovers.add(new Violation("leftover lease", lease)));
		}
	}

	/**
	 * Return the leases and contenders of a lock, also of one whose name has its name in
	 * it.
	 */
	private List<Contender> leasesOf(String key) {
		try {
			String leases = this.servers.left()
				.stream()
				.filter((lease) -> lease.contains(key))
				.collect(Collectors.joining(", "));
			return leases.isEmpty() ? List.of() : List.of(new Contender(leases, "", "in no order"));
		}
		catch (Exception ex) {
			return List.of(new Contender("unknown", "", ex.toString()));
		}
	}

	/**
	 * Return what judges the liveness of the phase that the run is in.
	 */
	private List<SilenceChecker> liveness(long now) {
		if (this.faultsFrom == 0) {
			return List.of();
		}
		return List.of((this.calmFrom == 0) ? silenceUnderFaults(now) : silence(now));
	}

	private SilenceChecker silence(long to) {
		return SilenceChecker.ofGrants(this.calmFrom, to, LONGEST_SILENCE, Workload.KEYS);
	}

	private SilenceChecker silenceUnderFaults(long to) {
		return SilenceChecker.ofGrants(this.faultsFrom, to, LONGEST_SILENCE_UNDER_FAULTS, Workload.KEYS);
	}

	private Verdict verdict(Coverage coverage) {
		SilenceChecker silence = silence(this.calmTo);
		SilenceChecker underFaults = silenceUnderFaults(this.calmFrom);
		List<Violation> violations = new ArrayList<>(this.leftovers);
		for (Checker checker : List.of(new ExclusionChecker(), new LapseChecker(),
				new LossChecker(this.servers::reaches), new TokenOrderChecker(), FaultRun.arrival(this.workers),
				new DeadlineChecker(), silence, underFaults)) {
			violations.addAll(checker.check(this.history));
		}
		Map<String, Object> rows = new LinkedHashMap<>();
		rows.put("overlaps told and fenced, by fault", LapseChecker.fenced(this.history));
		rows.put("longest silence after the last fault, ms", silence.longestMillis(this.history));
		rows.put("longest silence under faults, ms", underFaults.longestMillis(this.history));
		rows.put("longest wait, ms", this.history.longestWait());
		return Verdict.of(this.history, coverage, violations, this.seed, this.duration, rows);
	}

}

package io.interlock.faults.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.interlock.faults.check.ArrivalChecker;
import io.interlock.faults.check.Checker;
import io.interlock.faults.check.Coverage;
import io.interlock.faults.check.CuratorDefect;
import io.interlock.faults.check.DeadlineChecker;
import io.interlock.faults.check.ExclusionChecker;
import io.interlock.faults.check.History;
import io.interlock.faults.check.SilenceChecker;
import io.interlock.faults.check.TokenOrderChecker;
import io.interlock.faults.check.Violation;
import io.interlock.faults.check.Witness;
import io.interlock.faults.time.Lapse;
import io.interlock.faults.worker.Fleet;
import io.interlock.faults.worker.WorkerProcess;
import io.interlock.faults.worker.Workload;
import io.interlock.testsupport.server.Ensemble;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A run: servers, workers, faults until the time is over, a while without faults, and a
 * look at what is left before anybody closes a session. The control ends as soon as it
 * has failed.
 */
public final class FaultRun {

	private static final Duration TICK = Duration.ofMillis(500);

	private static final int SYNC_LIMIT = 10;

	/**
	 * Longer than the longest silence that is allowed in it.
	 */
	private static final Duration CALM = Duration.ofSeconds(20);

	/**
	 * What it is judged by happens under faults.
	 */
	private static final Duration CALM_OF_CONTROL = Duration.ofSeconds(2);

	/**
	 * A session that a fault has ended is noticed after 6 s at the most. A plain mutex
	 * asks for up to 10 s before it fails, and its session, which is ended then, may last
	 * for 4 s more.
	 */
	private static final Duration LONGEST_SILENCE = Duration.ofSeconds(14);

	/**
	 * The longest body, 9 s, and the longest session, which its holder may lose at its
	 * end, and a second.
	 */
	private static final Duration LONGEST_STANDSTILL = Duration.ofSeconds(16);

	/**
	 * A holder and the next one in its queue.
	 */
	private static final Duration LONGEST_SILENCE_UNDER_FAULTS = LONGEST_STANDSTILL.multipliedBy(2);

	private static final List<Duration> SESSION_TIMEOUTS = List.of(Duration.ofSeconds(3), Duration.ofSeconds(4),
			Duration.ofSeconds(6));

	private static final List<Fleet> MEMBERS = List.of(Fleet.INTERLOCK, Fleet.UNQUEUED, Fleet.LINGERING);

	private final Fleet fleet;

	private final long seed;

	private final Duration duration;

	private final Path directory;

	private final History history = new History();

	private final Coverage coverage = Coverage.ofEnsemble();

	private final List<WorkerProcess> workers = new ArrayList<>();

	private final List<Violation> leftovers = new ArrayList<>();

	private volatile boolean observing = true;

	private volatile long faultsFrom;

	private volatile long calmFrom;

	private long calmTo;

	/**
	 * Prepare a run.
	 * @param fleet what is under test
	 * @param seed what to choose the faults by
	 * @param duration how long to let them happen
	 * @param directory where the workers log
	 */
	public FaultRun(Fleet fleet, long seed, Duration duration, Path directory) {
		this.fleet = fleet;
		this.seed = seed;
		this.duration = duration;
		this.directory = directory;
	}

	/**
	 * Run.
	 * @return what happened, and what of it should not have
	 * @throws Exception if the suite itself failed
	 */
	public Verdict run() throws Exception {
		try (Ensemble ensemble = Ensemble.linked(ServerSettings.quick().withTickTime(TICK).withSyncLimit(SYNC_LIMIT));
				Witness witness = new Witness(this.history);
				LockNodes nodes = new LockNodes(ensemble.connectString(), this.history)) {
			try {
				startWorkers(ensemble, witness.port());
				Thread observer = startObserver(nodes);
				Onlooker onlooker = new Onlooker(this.history, this.workers, () -> liveness(System.nanoTime()),
						nodes::contendersOf);
				letFaultsHappen(ensemble, nodes);
				ensemble.awaitLeader();
				this.calmFrom = System.nanoTime();
				Lapse.of((this.fleet == Fleet.PLAIN) ? CALM_OF_CONTROL : CALM);
				this.calmTo = System.nanoTime();
				onlooker.stop();
				this.observing = false;
				observer.interrupt();
				observer.join();
				lookForLeftovers(ensemble, nodes);
			}
			finally {
				this.workers.forEach(WorkerProcess::close);
			}
		}
		return verdict();
	}

	private void startWorkers(Ensemble ensemble, int witnessPort) {
		for (int i = 0; i < SESSION_TIMEOUTS.size(); i++) {
			Fleet fleet = (this.fleet == Fleet.INTERLOCK) ? MEMBERS.get(i) : this.fleet;
			addWorker("worker" + (i + 1), fleet, SESSION_TIMEOUTS.get(i), ensemble, witnessPort);
		}
		if (this.fleet == Fleet.INTERLOCK) {
			addWorker("peer", Fleet.PEER, SESSION_TIMEOUTS.get(1), ensemble, witnessPort);
		}
	}

	private void addWorker(String name, Fleet fleet, Duration sessionTimeout, Ensemble ensemble, int witnessPort) {
		List<Integer> ports = ensemble.servers().stream().map(Server::clientPort).toList();
		this.workers.add(new WorkerProcess(name, fleet, sessionTimeout, ports, FaultRun::connectString, witnessPort,
				this.directory.resolve(name + ".log"), hasOneWriteUnderWay()));
	}

	/**
	 * Return whether writes travel together from the second one on: in half of the runs.
	 */
	private boolean hasOneWriteUnderWay() {
		return this.seed % 2 == 0;
	}

	private static String connectString(List<Integer> ports) {
		return ports.stream().map((port) -> "127.0.0.1:" + port).collect(Collectors.joining(","));
	}

	private void letFaultsHappen(Ensemble ensemble, LockNodes nodes) throws InterruptedException {
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.until(() -> this.history.holds().size() > 10 * this.workers.size());
		this.faultsFrom = System.nanoTime();
		long until = System.nanoTime() + this.duration.toNanos();
		List<Fault> faults = new EnsembleFaults(ensemble, nodes).all()
			.stream()
			.filter((fault) -> this.fleet == Fleet.INTERLOCK || !fault.kind().equals(Fault.INSTANCE_CLOSED))
			.toList();
		new Chaos(this.seed, () -> goesOn(until) && !isControlThatFailed(), faults,
				(fault, random) -> new Site(fault, random, this.workers, this.history, this.fleet == Fleet.PLAIN))
			.run();
	}

	/**
	 * Faults are chosen at random, so a short run may not meet what matters. It goes on
	 * until it has, for as long again at the most.
	 */
	private boolean goesOn(long until) {
		long now = System.nanoTime();
		return now < until || (this.fleet == Fleet.INTERLOCK && now - until < this.duration.toNanos()
				&& !this.coverage.check(this.history).isEmpty());
	}

	private Thread startObserver(LockNodes nodes) {
		Thread observer = new Thread(() -> observe(nodes), "observer");
		observer.setDaemon(true);
		observer.start();
		return observer;
	}

	/**
	 * The control has shown what it is for when it has broken both promises.
	 */
	private boolean isControlThatFailed() {
		return this.fleet == Fleet.PLAIN && Stream.of(new ExclusionChecker(), new DeadlineChecker())
			.noneMatch((checker) -> checker.check(this.history).isEmpty());
	}

	/**
	 * An interrupt may be lost in a request, so the end is asked for as well.
	 */
	private void observe(LockNodes nodes) {
		try {
			while (this.observing) {
				nodes.observeQueues();
				Lapse.of(Duration.ofMillis(200));
			}
		}
		catch (InterruptedException ex) {
			// The run is over.
		}
	}

	/**
	 * Closing a session would sweep up whatever was forgotten, so this comes before.
	 */
	private void lookForLeftovers(Ensemble ensemble, LockNodes nodes) throws Exception {
		Rest rest = Rest.of(this.workers);
		this.leftovers.addAll(rest.hanging());
		List<String> sessions = rest.sessions();
		try {
			Awaitility.await().atMost(Duration.ofSeconds(15)).until(() -> nodes.ownedBy(sessions).isEmpty());
		}
		catch (ConditionTimeoutException ex) {
			nodes.ownedBy(sessions).forEach((node) -> this.leftovers.add(new Violation("leftover node", node)));
		}
		// What plain mutexes leave behind is not ours, nor is a watch on it.
		this.workers.stream().filter((worker) -> worker.fleet() == Fleet.PEER).forEach(WorkerProcess::close);
		try {
			Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> nodes.left().isEmpty());
		}
		catch (ConditionTimeoutException ex) {
			nodes.left().forEach((node) -> this.leftovers.add(new Violation("leftover node", node)));
		}
		for (Server server : ensemble.servers()) {
			watchedBy(sessions, server.watches())
				.forEach((path) -> this.leftovers.add(new Violation("leftover watch", path)));
		}
	}

	private static List<String> watchedBy(List<String> sessions, String watches) {
		List<String> paths = new ArrayList<>();
		boolean ours = false;
		for (String line : watches.split("\n")) {
			if (line.startsWith("0x")) {
				ours = sessions.contains(line.trim());
			}
			else if (ours && !line.isBlank()) {
				paths.add(line.trim());
			}
		}
		return paths;
	}

	/**
	 * Return what judges the liveness of the phase that the run is in.
	 */
	private List<SilenceChecker> liveness(long now) {
		if (this.faultsFrom == 0) {
			return List.of();
		}
		return (this.calmFrom == 0) ? List.of(silenceUnderFaults(now), standstill(now)) : List.of(silence(now));
	}

	private SilenceChecker silence(long to) {
		return SilenceChecker.ofGrants(this.calmFrom, to, LONGEST_SILENCE, keys());
	}

	private SilenceChecker silenceUnderFaults(long to) {
		return SilenceChecker.ofGrants(this.faultsFrom, to, LONGEST_SILENCE_UNDER_FAULTS, keys());
	}

	private SilenceChecker standstill(long to) {
		return SilenceChecker.ofQueues(this.faultsFrom, to, LONGEST_STANDSTILL, keys());
	}

	static ArrivalChecker arrival(List<WorkerProcess> workers) {
		return new ArrivalChecker(workers.stream()
			.filter((worker) -> worker.fleet().isQueued())
			.map(WorkerProcess::toString)
			.collect(Collectors.toSet()));
	}

	private Set<String> keys() {
		return (this.fleet == Fleet.INTERLOCK) ? Workload.KEYS : Set.of();
	}

	private Verdict verdict() {
		SilenceChecker silence = silence(this.calmTo);
		SilenceChecker underFaults = silenceUnderFaults(this.calmFrom);
		SilenceChecker standstill = standstill(this.calmFrom);
		List<Violation> violations = new ArrayList<>(this.leftovers);
		for (Checker checker : List.of(new ExclusionChecker(), new TokenOrderChecker(), arrival(this.workers),
				new DeadlineChecker(), silence, underFaults, standstill)) {
			violations.addAll(checker.check(this.history));
		}
		Map<String, Object> rows = new LinkedHashMap<>();
		rows.put("one write under way", hasOneWriteUnderWay());
		rows.put("longest silence after the last fault, ms", silence.longestMillis(this.history));
		rows.put("longest silence under faults, ms", underFaults.longestMillis(this.history));
		rows.put("longest time with the same first node and no grant, ms", standstill.longestMillis(this.history));
		rows.put("longest wait, ms", this.history.longestWait());
		if (this.fleet == Fleet.PLAIN) {
			rows.putAll(CuratorDefect.shown(this.history));
		}
		return Verdict.of(this.history, this.coverage, violations, this.seed, this.duration, rows);
	}

}

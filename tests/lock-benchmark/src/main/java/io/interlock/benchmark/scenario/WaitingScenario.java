package io.interlock.benchmark.scenario;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.interlock.LockRequest;
import io.interlock.benchmark.contestant.InterlockClient;
import io.interlock.benchmark.contestant.LocalQueue;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockProvider;
import io.interlock.testsupport.server.Server;

/**
 * Attempts that wait for as many held keys, without a thread of a caller: what they cost
 * while they wait, and what is left of them when they are abandoned.
 */
final class WaitingScenario implements Scenario {

	private static final int ATTEMPTS = 10_000;

	/** How many attempts are under way at once while the keys are taken by the holder. */
	private static final int WINDOW = 500;

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@Override
	public String name() {
		return "waiting";
	}

	@Override
	public String title() {
		return "Attempts of one client that wait, each for a key that another client holds";
	}

	@Override
	public String run(Site site) throws Exception {
		int count = (int) Math.min(ATTEMPTS, site.limit(2 * ATTEMPTS) / 2);
		try (InterlockClient holder = new InterlockClient(site.connectString(1));
				InterlockClient waiter = new InterlockClient(site.connectString(1))) {
			hold(holder.provider(), count);
			return measure(LocalQueue.before(waiter.provider()), count, site.server());
		}
	}

	private static void hold(LockProvider provider, int count) {
		for (int from = 0; from < count; from += WINDOW) {
			for (LockAttempt attempt : attempt(provider, from, Math.min(count, from + WINDOW))) {
				Optional<?> grant = attempt.outcome().join();
				if (grant.isEmpty()) {
					throw new IllegalStateException("A key that is free was not granted");
				}
			}
		}
	}

	private static List<LockAttempt> attempt(LockProvider provider, int from, int to) {
		List<LockAttempt> attempts = new ArrayList<>();
		for (int key = from; key < to; key++) {
			attempts.add(provider.attempt(
					LockRequest.exclusive("benchmark").withKey("waiting-" + key).withWaitTime(LockRequest.FOREVER),
					LockCaller.current()));
		}
		return attempts;
	}

	private static String measure(LockProvider provider, int count, Server server) {
		long held = State.nodes(server);
		startThreads(provider, held, server);
		State before = State.settled(List.of(), server);
		double heapBefore = Sample.heapAfterCollection();
		long startedAt = System.nanoTime();
		List<LockAttempt> attempts = attempt(provider, 0, count);
		await("queued", () -> State.nodes(server) - held >= State.of(attempts, server).waiting());
		double untilQueued = Readings.seconds(System.nanoTime() - startedAt);
		State waiting = State.settled(attempts, server);
		double heapWaiting = Sample.heapAfterCollection();
		long abandonedAt = System.nanoTime();
		attempts.forEach(LockAttempt::abandon);
		double untilAbandoned = Readings.seconds(System.nanoTime() - abandonedAt);
		await("gone", () -> State.nodes(server) <= held);
		double untilGone = Readings.seconds(System.nanoTime() - abandonedAt);
		attempts.clear();
		State after = State.settled(List.of(), server);
		Table table = new Table(List.of("", "attempts waiting", "attempts refused", "threads of this JVM",
				"heap after GC, MB", "ephemeral nodes on the server", "watches on the server"));
		table.add(before.row("keys held", heapBefore));
		table.add(waiting.row("all attempts wait", heapWaiting));
		table.add(after.row("all attempts abandoned", Sample.heapAfterCollection()));
		int added = waiting.threads() - before.threads();
		return table + """

				Threads added: %d (goal 0: %s). Memory of a waiting attempt: %s kB. \
				All attempts were queued on the server after %s s. \
				Abandoning them took %s s, and their nodes were gone after %s s. \
				Nodes left: %d. Watches left: %d.
				""".formatted(added, (added <= 0) ? "met" : "missed",
				Table.number((heapWaiting - heapBefore) * 1024 / Math.max(1, waiting.waiting())),
				Table.number(untilQueued), Table.number(untilAbandoned), Table.number(untilGone),
				after.nodes() - before.nodes(), after.watches() - before.watches());
	}

	/** Threads that the first attempt of a client starts belong to the client. */
	private static void startThreads(LockProvider provider, long held, Server server) {
		List<LockAttempt> first = attempt(provider, 0, 1);
		await("queued", () -> State.nodes(server) > held);
		first.get(0).abandon();
		await("gone", () -> State.nodes(server) <= held);
	}

	private static void await(String state, BooleanSupplier reached) {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (!reached.getAsBoolean()) {
			if (System.nanoTime() > deadline) {
				throw new IllegalStateException("Not all nodes of attempts are %s after %s".formatted(state, PATIENCE));
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
		}
	}

	/**
	 * The attempts, this JVM and the server at one moment.
	 *
	 * @param waiting attempts that wait
	 * @param refused attempts that failed
	 * @param threads threads of this JVM
	 * @param nodes ephemeral nodes on the server
	 * @param watches watches on the server
	 */
	private record State(int waiting, int refused, int threads, long nodes, long watches) {

		/** Threads that work on the last requests, and watches, take a moment to go. */
		private static final long NANOS_TO_SETTLE = TimeUnit.SECONDS.toNanos(2);

		static State settled(List<LockAttempt> attempts, Server server) {
			LockSupport.parkNanos(NANOS_TO_SETTLE);
			return of(attempts, server);
		}

		static State of(List<LockAttempt> attempts, Server server) {
			int refused = (int) attempts.stream().filter((attempt) -> attempt.outcome().isDone()).count();
			return new State(attempts.size() - refused, refused, ManagementFactory.getThreadMXBean().getThreadCount(),
					nodes(server), server.monitored("zk_watch_count"));
		}

		static long nodes(Server server) {
			return server.monitored("zk_ephemerals_count");
		}

		List<String> row(String title, double heap) {
			return List.of(title, Table.number(this.waiting), Table.number(this.refused), Table.number(this.threads),
					Table.number(heap), Table.number(this.nodes), Table.number(this.watches));
		}

	}

}

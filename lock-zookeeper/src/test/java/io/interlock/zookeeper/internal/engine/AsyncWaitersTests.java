package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockOperations;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for thousands of calls that wait for one lock without a thread.
 */
@Timeout(240)
@ExtendWith(SharedServer.class)
class AsyncWaitersTests {

	private static final int CALLS = 2_000;

	private static final int MANY_CALLS = 10_000;

	private static final Duration WAIT = Duration.ofSeconds(3);

	/**
	 * Between two deadlines: ten thousand at the same instant would ask for throughput.
	 */
	private static final Duration STEP = Duration.ofNanos(200_000);

	private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** A collection of garbage, or another process, may stop a thread for that long. */
	private static final int ROUNDS = 20;

	private static final LockRequest REQUEST = LockRequest.exclusive("async-waiters");

	private final QueueingLockProvider queueInMemory = new QueueingLockProvider(new InMemoryLockProvider(),
			QueueSettings.defaults());

	@Test
	void addNoThreadAndKeepTheirDeadlineInZooKeeper(LocalServer server) throws Exception {
		addNoThreadAndKeepTheirDeadline(server, CALLS);
	}

	@Deep
	@Test
	void manyAddNoThreadAndKeepTheirDeadlineInZooKeeper(LocalServer server) throws Exception {
		addNoThreadAndKeepTheirDeadline(server, MANY_CALLS);
	}

	private static void addNoThreadAndKeepTheirDeadline(LocalServer server, int number) throws Exception {
		try (Instance other = Instance.connectedTo(server.connectString());
				Instance instance = Instance.queueing(server.connectString(), Duration.ofSeconds(30),
						QueueSettings.defaults());
				LockHandle held = other.template().acquire(REQUEST)) {
			assertThat(held.isValid()).isTrue();
			assertThat(instance.client().blockUntilConnected(10, TimeUnit.SECONDS)).isTrue();
			addNoThreadAndKeepTheirDeadline("ZooKeeper", number, instance.template(), instance.heldLocks());
		}
	}

	@Test
	void addNoThreadAndKeepTheirDeadlineInMemory() {
		addNoThreadAndKeepTheirDeadlineInMemory(CALLS);
	}

	@Deep
	@Test
	void manyAddNoThreadAndKeepTheirDeadlineInMemory() {
		addNoThreadAndKeepTheirDeadlineInMemory(MANY_CALLS);
	}

	private void addNoThreadAndKeepTheirDeadlineInMemory(int number) {
		HeldLocks heldLocks = new HeldLocks();
		LockTemplate template = templateInMemory(heldLocks);
		try (LockHandle held = templateInMemory(new HeldLocks()).acquire(REQUEST)) {
			assertThat(held.isValid()).isTrue();
			addNoThreadAndKeepTheirDeadline("memory", number, template, heldLocks);
		}
	}

	@Test
	void comeInOneAfterTheOtherInZooKeeper(LocalServer server) {
		comeInOneAfterTheOther(server, CALLS);
	}

	@Deep
	@Test
	void manyComeInOneAfterTheOtherInZooKeeper(LocalServer server) {
		comeInOneAfterTheOther(server, MANY_CALLS);
	}

	private static void comeInOneAfterTheOther(LocalServer server, int number) {
		try (Instance instance = Instance.queueing(server.connectString(), Duration.ofSeconds(30),
				QueueSettings.defaults())) {
			comeInOneAfterTheOther(instance.template(), number);
		}
	}

	@Test
	void comeInOneAfterTheOtherInMemory() {
		comeInOneAfterTheOther(templateInMemory(new HeldLocks()), CALLS);
	}

	@Deep
	@Test
	void manyComeInOneAfterTheOtherInMemory() {
		comeInOneAfterTheOther(templateInMemory(new HeldLocks()), MANY_CALLS);
	}

	private LockTemplate templateInMemory(HeldLocks heldLocks) {
		return new LockTemplate(this.queueInMemory, LockSettings.defaults(), heldLocks, List.of());
	}

	private static void addNoThreadAndKeepTheirDeadline(String where, int number, LockOperations locks,
			HeldLocks heldLocks) {
		long late = Long.MAX_VALUE;
		Set<Thread> added = Set.of();
		for (int round = 0; round < ROUNDS && late > LATE_NANOS; round++) {
			Set<Thread> before = threads();
			List<CompletableFuture<Long>> calls = new ArrayList<>();
			for (int call = 0; call < number; call++) {
				calls.add(nanosLate(locks, WAIT.plus(STEP.multipliedBy(call))));
			}
			int waiting = heldLocks.waiting().size();
			added = threads();
			added.removeAll(before);
			boolean allWaited = calls.stream().noneMatch(CompletableFuture::isDone);
			long[] sorted = calls.stream().mapToLong(CompletableFuture::join).sorted().toArray();
			assertThat(sorted[0]).as("earliest").isNotNegative();
			if (!allWaited || added.size() > 1 || !added.stream().allMatch(AsyncWaitersTests::isTheTimer)) {
				// The machine stood still, and the first were over before the last began.
				// Or
				// others have started a thread, as a server does to save its data.
				continue;
			}
			assertThat(waiting).as("waiting calls").isEqualTo(number);
			late = sorted[number - number / 1000 - 1];
			System.out.printf(
					"%,d waiting calls in %s: threads added %s, deadline late p50 %.1f ms, p99.9 %.1f ms, max %.1f ms%n",
					number, where, added, sorted[number / 2] / 1e6, late / 1e6, sorted[number - 1] / 1e6);
		}
		assertThat(added).as("added threads").allMatch(AsyncWaitersTests::isTheTimer).hasSizeLessThanOrEqualTo(1);
		assertThat(late).as("p99.9 in ns").isLessThan(LATE_NANOS);
		await().untilAsserted(() -> assertThat(heldLocks.waiting()).isEmpty());
	}

	private static boolean isTheTimer(Thread thread) {
		return thread.getName().equals("interlock-timer");
	}

	private static CompletableFuture<Long> nanosLate(LockOperations locks, Duration wait) {
		long deadline = System.nanoTime() + wait.toNanos();
		return locks.executeAsync(REQUEST.withWaitTime(wait), (lock) -> CompletableFuture.completedFuture("ran"))
			.handle((value, failure) -> {
				assertThat(failure).isInstanceOf(LockNotAcquiredException.class);
				return System.nanoTime() - deadline;
			});
	}

	private static void comeInOneAfterTheOther(LockTemplate locks, int number) {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger count = new AtomicInteger();
		LockHandle held = locks.acquire(REQUEST).detach();
		CompletableFuture<?>[] calls = new CompletableFuture<?>[number];
		Arrays.setAll(calls, (call) -> locks.executeAsync(REQUEST.withWaitTime(LockRequest.FOREVER), (lock) -> {
			assertThat(inside.incrementAndGet()).isEqualTo(1);
			return CompletableFuture.supplyAsync(() -> {
				count.set(count.get() + 1);
				return inside.decrementAndGet();
			});
		}));
		held.close();
		CompletableFuture.allOf(calls).orTimeout(180, TimeUnit.SECONDS).join();
		assertThat(count).hasValue(number);
	}

	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> !thread.getName().startsWith("NIOWorkerThread"))
			.collect(Collectors.toSet());
	}

}

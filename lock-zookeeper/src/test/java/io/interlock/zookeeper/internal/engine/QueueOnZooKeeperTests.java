package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueSnapshot;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.zookeeper.GuardedTransaction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the threads of several instances that queue among themselves for one lock.
 */
@Timeout(90)
@ExtendWith(SharedServer.class)
class QueueOnZooKeeperTests {

	private static final Duration SESSION = Duration.ofSeconds(30);

	private static final Duration LONG = Duration.ofMinutes(10);

	private final LocalServer server;

	private final List<Instance> instances = new ArrayList<>();

	private LockRequest writer;

	private LockRequest reader;

	QueueOnZooKeeperTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void nameLock(TestInfo test) {
		this.writer = LockRequest.exclusive(test.getDisplayName()).withWaitTime(Duration.ofSeconds(60));
		this.reader = LockRequest.shared(test.getDisplayName()).withWaitTime(Duration.ofSeconds(60));
	}

	@AfterEach
	void nothingIsLeftBehind() {
		await().untilAsserted(() -> assertThat(this.server.contenders(this.writer)).isEmpty());
		this.instances.forEach((instance) -> {
			await().untilAsserted(() -> assertThat(instance.queue().queues()).isEmpty());
			instance.close();
		});
	}

	@Test
	@Proves(Promise.EXCLUSION)
	void twoInstancesWithEightThreadsEachCountToTheEnd() throws Exception {
		UnguardedCounter counter = new UnguardedCounter();
		List<Callable<?>> tasks = new ArrayList<>();
		for (Instance instance : List.of(instance(QueueSettings.defaults()), instance(QueueSettings.defaults()))) {
			for (int thread = 0; thread < 8; thread++) {
				boolean reads = thread < 2;
				tasks.add(() -> {
					for (int round = 0; round < 100; round++) {
						if (reads) {
							instance.template().executeWithoutResult(this.reader, (lock) -> counter.value());
						}
						else {
							instance.template().executeWithoutResult(this.writer, (lock) -> counter.increment());
						}
					}
					return null;
				});
			}
		}
		UnguardedCounter.runTogether(tasks);
		assertThat(counter.value()).isEqualTo(2 * 6 * 100);
	}

	@Test
	@Proves(Promise.THE_FENCING_TOKEN)
	void tokensAreEqualInsideATenureAndRiseFromTenureToTenure() throws Exception {
		record Grant(long token, int handoff) {

		}
		List<Grant> grants = new CopyOnWriteArrayList<>();
		List<Callable<?>> tasks = new ArrayList<>();
		for (Instance instance : List.of(instance(handoffs(3)), instance(handoffs(3)))) {
			for (int thread = 0; thread < 4; thread++) {
				tasks.add(() -> {
					for (int round = 0; round < 25; round++) {
						instance.template()
							.executeWithoutResult(this.writer,
									(lock) -> grants.add(new Grant(lock.fencingToken(), lock.handoff())));
					}
					return null;
				});
			}
		}
		UnguardedCounter.runTogether(tasks);
		for (int i = 1; i < grants.size(); i++) {
			Grant before = grants.get(i - 1);
			Grant after = grants.get(i);
			if (after.handoff() == 0) {
				assertThat(after.token()).as("grant %d", i).isGreaterThan(before.token());
			}
			else {
				assertThat(after).as("grant %d", i).isEqualTo(new Grant(before.token(), before.handoff() + 1));
			}
		}
		assertThat(grants).hasSize(200).extracting(Grant::handoff).contains(1).allMatch((handoff) -> handoff <= 3);
	}

	@Test
	void thePlaceIsKeptWhileThoseAtTheHeadGiveUp() throws Exception {
		Instance remote = instance(QueueSettings.defaults());
		Instance local = instance(QueueSettings.defaults());
		LockHandle held = remote.template().acquire(this.writer);
		CompletableFuture<LockHandle> impatient = acquire(local, this.writer.withWaitTime(Duration.ofSeconds(6)));
		await().until(() -> waiting(local) == 1);
		CompletableFuture<LockHandle> patient = acquire(local, this.writer);
		await().until(() -> this.server.contenders(this.writer).size() == 2 && waiting(local) == 2);
		List<String> before = this.server.contenders(this.writer);
		assertThat(impatient).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class);
		for (int i = 0; i < 5; i++) {
			assertThat(local.template().tryAcquire(this.writer.withWaitTime(Duration.ofMillis(10)))).isEmpty();
		}
		assertThat(this.server.contenders(this.writer)).containsExactlyInAnyOrderElementsOf(before);
		held.close();
		patient.get(10, TimeUnit.SECONDS).close();
	}

	@Test
	void aWriterElsewhereIsNotStarvedByReadersInALoop() throws Exception {
		Instance readers = instance(QueueSettings.defaults());
		Instance remote = instance(QueueSettings.defaults());
		AtomicBoolean stop = new AtomicBoolean();
		AtomicInteger reads = new AtomicInteger();
		List<Callable<?>> tasks = new ArrayList<>();
		for (int thread = 0; thread < 31; thread++) {
			tasks.add(() -> {
				while (!stop.get()) {
					readers.template().executeWithoutResult(this.reader, (lock) -> {
						reads.incrementAndGet();
						LockSupport.parkNanos(5_000_000);
					});
				}
				return null;
			});
		}
		tasks.add(() -> {
			try {
				for (int round = 0; round < 5; round++) {
					int target = reads.get() + 100;
					await().until(() -> reads.get() > target);
					long startedAt = System.nanoTime();
					remote.template().acquire(this.writer).close();
					// 50 ms of tenure, 5 ms of reading, round trips, and a busy machine.
					assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(Duration.ofSeconds(10));
				}
			}
			finally {
				stop.set(true);
			}
			return null;
		});
		UnguardedCounter.runTogether(tasks);
		assertThat(reads).hasValueGreaterThan(500);
	}

	@Test
	void aWriterHereIsNotStarvedByReadersOfHisInstance() throws Exception {
		Instance local = instance(tenure(LONG));
		LockHandle first = local.template().acquire(this.reader);
		CompletableFuture<LockHandle> write = acquire(local, this.writer);
		await().until(() -> waiting(local) == 1);
		CompletableFuture<LockHandle> late = acquire(local, this.reader);
		await().until(() -> waiting(local) == 2);
		assertThat(late).isNotDone();
		first.close();
		write.get(10, TimeUnit.SECONDS).close();
		late.get(10, TimeUnit.SECONDS).close();
	}

	/**
	 * An instance that stands still misses its turns, so the best of some series counts.
	 */
	@Test
	void instancesTakeTurnsByTenure() throws Exception {
		List<Instance> both = List.of(instance(QueueSettings.defaults()), instance(QueueSettings.defaults()));
		AtomicBoolean stop = new AtomicBoolean();
		List<Integer> order = new CopyOnWriteArrayList<>();
		List<Callable<?>> tasks = new ArrayList<>();
		for (int i = 0; i < both.size(); i++) {
			int number = i;
			for (int thread = 0; thread < 4; thread++) {
				tasks.add(() -> {
					while (!stop.get()) {
						both.get(number).template().executeWithoutResult(this.writer, (lock) -> {
							if (lock.handoff() == 0) {
								order.add(number);
							}
						});
					}
					return null;
				});
			}
		}
		AtomicInteger most = new AtomicInteger();
		tasks.add(() -> {
			try {
				for (int series = 0; series < 5 && most.get() < 10; series++) {
					int start = order.size();
					await().atMost(Duration.ofSeconds(40)).until(() -> order.size() >= start + 20);
					most.accumulateAndGet(changes(List.copyOf(order).subList(start, start + 20)), Math::max);
				}
			}
			finally {
				stop.set(true);
			}
			return null;
		});
		UnguardedCounter.runTogether(tasks);
		assertThat(most).as("changes in a series among %s", order).hasValueGreaterThanOrEqualTo(10);
	}

	private static int changes(List<Integer> order) {
		int changes = 0;
		for (int i = 1; i < order.size(); i++) {
			changes += order.get(i).equals(order.get(i - 1)) ? 0 : 1;
		}
		return changes;
	}

	@Test
	void withoutAQueueEveryThreadHasItsNode() throws Exception {
		Instance local = instance(new QueueSettings(false, Map.of(), LONG, 100, 100));
		assertThatThreadsHaveNodes(local);
	}

	@Test
	void withoutAQueueForTheNameEveryThreadHasItsNode() throws Exception {
		Instance local = instance(new QueueSettings(true, Map.of(this.writer.id().name(), false), LONG, 100, 100));
		assertThatThreadsHaveNodes(local);
	}

	@Test
	void withAQueueTheInstanceHasOneNode() throws Exception {
		Instance local = instance(tenure(LONG));
		LockHandle held = local.template().acquire(this.writer);
		CompletableFuture<LockHandle> second = acquire(local, this.writer);
		CompletableFuture<LockHandle> third = acquire(local, this.writer);
		await().until(() -> waiting(local) == 2);
		assertThat(this.server.contenders(this.writer)).hasSize(1);
		held.close();
		CompletableFuture.anyOf(second, third).thenAccept((handle) -> ((LockHandle) handle).close()).get();
		CompletableFuture.allOf(second, third).get(10, TimeUnit.SECONDS);
		second.get().close();
		third.get().close();
	}

	@Test
	void tooManyWaitersAreRefusedAtOnce() throws Exception {
		Instance local = instance(new QueueSettings(true, Map.of(), LONG, 100, 1));
		LockHandle held = local.template().acquire(this.writer);
		CompletableFuture<LockHandle> second = acquire(local, this.writer);
		await().until(() -> waiting(local) == 1);
		CompletableFuture<LockHandle> third = acquire(local, this.writer);
		assertThat(third).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockServiceUnavailableException.class)
			.withMessageContaining("too many waiters")
			.withMessageContaining("max-waiting");
		held.close();
		second.get(10, TimeUnit.SECONDS).close();
	}

	@Test
	void aClosedHandleGuardsNoTransactionWhileTheNextOneHolds() throws Exception {
		Instance local = instance(tenure(LONG));
		LockHandle before = local.template().acquire(this.writer);
		CompletableFuture<LockHandle> next = acquire(local, this.writer);
		await().until(() -> waiting(local) == 1);
		before.close();
		try (LockHandle held = next.get(10, TimeUnit.SECONDS)) {
			assertThat(held.fencingToken()).isEqualTo(before.fencingToken());
			assertThat(GuardedTransaction.check(local.client(), held)).isNotNull();
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> GuardedTransaction.check(local.client(), before))
				.withMessageContaining("released");
		}
	}

	private void assertThatThreadsHaveNodes(Instance local) throws Exception {
		LockHandle held = local.template().acquire(this.writer);
		CompletableFuture<LockHandle> second = acquire(local, this.writer);
		await().until(() -> this.server.contenders(this.writer).size() == 2);
		CompletableFuture<LockHandle> third = acquire(local, this.writer);
		await().until(() -> this.server.contenders(this.writer).size() == 3);
		held.close();
		LockHandle next = second.get(10, TimeUnit.SECONDS);
		assertThat(third).isNotDone();
		next.close();
		third.get(10, TimeUnit.SECONDS).close();
	}

	private Instance instance(QueueSettings settings) {
		Instance instance = Instance.queueing(this.server.connectString(), SESSION, settings);
		this.instances.add(instance);
		return instance;
	}

	private static QueueSettings tenure(Duration maxTenure) {
		return new QueueSettings(true, Map.of(), maxTenure, Integer.MAX_VALUE, Integer.MAX_VALUE);
	}

	private static QueueSettings handoffs(int maxHandoffs) {
		return new QueueSettings(true, Map.of(), LONG, maxHandoffs, Integer.MAX_VALUE);
	}

	private int waiting(Instance instance) {
		return instance.queue().queues().stream().mapToInt(QueueSnapshot::waiting).sum();
	}

	/**
	 * Acquire on a thread of its own: those of the common pool are too few.
	 */
	private static CompletableFuture<LockHandle> acquire(Instance instance, LockRequest request) {
		return CompletableFuture.supplyAsync(() -> instance.template().acquire(request),
				(task) -> new Thread(task).start());
	}

}

package io.interlock.zookeeper.internal.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockMode;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockUpgradeException;
import io.interlock.admin.LockContender;
import io.interlock.admin.LockContender.Kind;
import io.interlock.admin.LockInspector;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.server.SequenceServer;
import io.interlock.testsupport.tier.Deep;
import io.interlock.zookeeper.internal.operator.ZooKeeperLockInspector;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for semaphores: at most so many holders over all instances, in order of arrival.
 */
@ExtendWith({ SharedServer.class, OutputCaptureExtension.class })
class SemaphoreTests {

	private final LocalServer server;

	private final List<String> order = new CopyOnWriteArrayList<>();

	private LockRequest two;

	private Instance here;

	private Instance there;

	SemaphoreTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect(TestInfo test) {
		this.two = LockRequest.semaphore(test.getTestMethod().orElseThrow().getName(), 2);
		this.here = Instance.connectedTo(this.server.connectString());
		this.there = Instance.connectedTo(this.server.connectString());
	}

	@AfterEach
	void disconnect() {
		this.here.close();
		this.there.close();
	}

	@Test
	void letsAsManyInAsThereArePermits() {
		try (LockHandle first = this.here.template().acquire(this.two);
				LockHandle second = this.there.template().acquire(this.two)) {
			assertThat(first.isValid()).isTrue();
			assertThat(second.isValid()).isTrue();
			assertThat(second.mode()).isEqualTo(LockMode.PERMIT);
			assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
			second.verify();
			assertThat(tries(this.there, this.two)).isFalse();
			assertThat(this.server.contenders(this.two)).hasSize(2);
		}
		assertThat(tries(this.there, this.two)).isTrue();
	}

	@Test
	void refusesAsContentionAtTheDeadline() {
		try (LockHandle first = this.here.template().acquire(this.two);
				LockHandle second = this.there.template().acquire(this.two)) {
			CompletableFuture<LockHandle> third = inQueue(this.there, this.two.withWaitTime(Duration.ofSeconds(2)),
					"third", 3);
			assertThat(third).failsWithin(Duration.ofSeconds(20))
				.withThrowableThat()
				.withCauseInstanceOf(LockNotAcquiredException.class);
			await().untilAsserted(() -> assertThat(this.server.contenders(this.two)).hasSize(2));
			assertThat(List.of(first, second)).allMatch(LockHandle::isValid);
		}
	}

	@Test
	void letsWaitersInInTheOrderInWhichTheyAskedWhicheverHolderGoes() throws Exception {
		LockHandle first = this.here.template().acquire(this.two);
		LockHandle second = this.there.template().acquire(this.two);
		CompletableFuture<LockHandle> third = inQueue(this.here, this.two, "third", 3);
		CompletableFuture<LockHandle> fourth = inQueue(this.there, this.two, "fourth", 4);
		CompletableFuture<LockHandle> fifth = inQueue(this.here, this.two, "fifth", 5);
		assertThat(this.order).isEmpty();
		second.close();
		LockHandle granted = third.get(10, TimeUnit.SECONDS);
		assertThat(granted.contended()).isTrue();
		assertThat(this.order).containsExactly("third");
		granted.close();
		LockHandle last = fourth.get(10, TimeUnit.SECONDS);
		first.close();
		fifth.get(10, TimeUnit.SECONDS).close();
		last.close();
		assertThat(this.order).containsExactly("third", "fourth", "fifth");
		await().until(() -> this.server.contenders(this.two).isEmpty());
		await().until(() -> this.server.watches() == 0);
	}

	@Test
	void holderThatAnOperatorRemovesGivesItsPermitBack() throws Exception {
		try (LockHandle first = this.here.template().acquire(this.two);
				LockHandle second = this.there.template().acquire(this.two)) {
			CompletableFuture<LockHandle> third = inQueue(this.there, this.two, "third", 3);
			this.here.client().delete().forPath(LocalServer.pathOf(this.two) + "/" + firstInLine());
			third.get(10, TimeUnit.SECONDS).close();
			await().until(first::isLost);
			assertThat(second.isValid()).isTrue();
		}
	}

	private String firstInLine() {
		return this.server.contenders(this.two)
			.stream()
			.min(Comparator.comparing((node) -> node.substring(node.length() - 10)))
			.orElseThrow();
	}

	@Test
	void excludesLocksOfTheSameName() {
		LockRequest exclusive = LockRequest.exclusive(this.two.id().name()).withWaitTime(Duration.ZERO);
		LockRequest shared = LockRequest.shared(this.two.id().name()).withWaitTime(Duration.ZERO);
		try (LockHandle permit = this.here.template().acquire(this.two)) {
			assertThat(this.there.template().tryAcquire(exclusive)).isEmpty();
			assertThat(this.there.template().tryAcquire(shared)).isEmpty();
			assertThat(permit.isValid()).isTrue();
		}
		for (LockRequest request : List.of(exclusive, shared)) {
			try (LockHandle lock = this.here.template().acquire(request)) {
				assertThat(tries(this.there, this.two)).isFalse();
				assertThat(lock.isValid()).isTrue();
			}
		}
	}

	@Test
	void operatorsSeeHoldersAndWaiters() throws Exception {
		LockHandle first = this.here.template().acquire(this.two);
		LockHandle second = this.there.template().acquire(this.two);
		CompletableFuture<LockHandle> third = inQueue(this.there, this.two, "third", 3);
		LockInspector.Query query = new LockInspector.Query(this.two.id().name(), null, 0, 10, 10);
		assertThat(
				new ZooKeeperLockInspector(this.here.client(), Instance.ROOT, Instance.PATIENCE).locks(query).locks())
			.singleElement()
			.satisfies((lock) -> {
				assertThat(lock.mode()).isEqualTo(LockMode.PERMIT);
				assertThat(lock.holders()).extracting(LockContender::token)
					.containsExactly(first.fencingToken(), second.fencingToken());
				assertThat(lock.queue()).extracting(LockContender::kind).containsExactly(Kind.INTERLOCK_PERMIT);
			});
		first.close();
		second.close();
		third.get(10, TimeUnit.SECONDS).close();
	}

	@Test
	void threadJoinsItsOwnPermit() {
		LockRequest one = LockRequest.semaphore(this.two.id().name(), 1);
		try (LockHandle outer = this.here.template().acquire(one);
				LockHandle inner = this.here.template().acquire(one)) {
			assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
			assertThatExceptionOfType(LockUpgradeException.class)
				.isThrownBy(() -> this.here.template().acquire(LockRequest.exclusive(this.two.id().name())));
		}
	}

	@Test
	void smallestNumberCountsWhileInstancesDisagree(CapturedOutput output) {
		LockRequest three = LockRequest.semaphore(this.two.id().name(), 3);
		try (LockHandle first = this.here.template().acquire(this.two);
				LockHandle second = this.there.template().acquire(three)) {
			assertThat(tries(this.there, three)).isFalse();
			assertThat(output).contains("Semaphore " + this.two.id() + " is requested with 3 permits here and with 2");
			assertThat(List.of(first, second)).allMatch(LockHandle::isValid);
		}
	}

	@Test
	void threadsOfAnInstanceHandPermitsOver() throws Exception {
		QueueSettings settings = new QueueSettings(true, Map.of(), Duration.ofSeconds(30), 1000, 1000);
		try (Instance queueing = Instance.queueing(this.server.connectString(), Duration.ofSeconds(30), settings)) {
			LockHandle first = queueing.template().acquire(this.two);
			LockHandle second = CompletableFuture.supplyAsync(() -> queueing.template().acquire(this.two)).get();
			CompletableFuture<LockHandle> third = inQueue(queueing, this.two, "third", 3);
			CompletableFuture<LockHandle> fourth = new CompletableFuture<>();
			new Thread(() -> fourth.complete(queueing.template().acquire(this.two))).start();
			await().until(() -> queueing.queue().queues().stream().anyMatch((queue) -> queue.waiting() == 2));
			assertThat(this.server.contenders(this.two)).hasSize(3);
			first.close();
			assertThat(third.get(10, TimeUnit.SECONDS).fencingToken()).isEqualTo(first.fencingToken());
			second.close();
			assertThat(fourth.get(10, TimeUnit.SECONDS).fencingToken()).isEqualTo(second.fencingToken());
			await().until(() -> this.server.contenders(this.two).size() == 2);
			third.get().close();
			fourth.get().close();
			await().until(() -> this.server.contenders(this.two).isEmpty());
		}
	}

	@Test
	void keepsItsPromiseAtTheEndOfTheSequenceNumbers(@TempDir Path directory) throws Exception {
		try (SequenceServer last = new SequenceServer(directory);
				Instance one = Instance.connectedTo(last.connectString(), Duration.ofSeconds(10));
				Instance other = Instance.connectedTo(last.connectString(), Duration.ofSeconds(10));
				CuratorFramework blocker = Instance.client(last.connectString(), Duration.ofSeconds(10))) {
			String path = LocalServer.pathOf(this.two);
			blocker.create().creatingParentsIfNeeded().forPath(path + "/no-contender");
			last.setSequence(path, Integer.MAX_VALUE - 20);
			InsideMeter meter = InsideMeter.in(directory);
			List<Callable<?>> tasks = new ArrayList<>();
			for (int thread = 0; thread < 6; thread++) {
				Instance instance = (thread % 2 == 0) ? one : other;
				tasks.add(() -> {
					for (int i = 0; i < 20; i++) {
						instance.template()
							.executeWithoutResult(this.two.withWaitTime(Duration.ofSeconds(60)),
									(lock) -> meter.visit(Duration.ofMillis(5)));
					}
					return null;
				});
			}
			UnguardedCounter.runTogether(tasks);
			assertThat(meter.visits()).isEqualTo(120);
			assertThat(meter.most()).isEqualTo(2);
		}
	}

	@Deep
	@Test
	void fourProcessesWithEightThreadsEachKeepThreePermits(@TempDir Path directory) throws Exception {
		InsideMeter meter = InsideMeter.in(directory);
		List<JavaProcess> workers = new ArrayList<>();
		try {
			for (int i = 0; i < 4; i++) {
				workers.add(JavaProcess.start(SemaphoreWorker.class, null, JavaProcess.quickStart("64m"), List
					.of(this.server.connectString(), this.two.id().name(), "3", "8", "5000", directory.toString())));
			}
			for (JavaProcess worker : workers) {
				worker.await(SemaphoreWorker.DONE, Duration.ofSeconds(120));
			}
		}
		finally {
			workers.forEach(JavaProcess::close);
		}
		assertThat(meter.visits()).isEqualTo(20_000);
		assertThat(meter.most()).isEqualTo(3);
	}

	/**
	 * Try on a thread that holds nothing yet.
	 */
	private static boolean tries(Instance instance, LockRequest request) {
		return CompletableFuture
			.supplyAsync(() -> instance.template().tryExecute(request.withWaitTime(Duration.ZERO), (lock) -> true))
			.join()
			.orElse(false);
	}

	/**
	 * Ask for a permit and return when its node is in the queue.
	 */
	private CompletableFuture<LockHandle> inQueue(Instance instance, LockRequest request, String name, int contenders) {
		CompletableFuture<LockHandle> granted = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				LockHandle handle = instance.template().acquire(request);
				this.order.add(name);
				granted.complete(handle);
			}
			catch (RuntimeException ex) {
				granted.completeExceptionally(ex);
			}
		});
		thread.start();
		await().until(() -> this.server.contenders(request).size() == contenders);
		return granted;
	}

}

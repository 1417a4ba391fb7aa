package io.interlock.curator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockInterruptedException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.proxy.Operation;
import io.interlock.proxy.ZooKeeperProxy;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for attempts that are given up at any moment: no node and no watch is left, and
 * the interrupt flag is kept.
 */
class AbandonmentTests {

	private static final int THREADS = 8;

	private static final LockRequest REQUEST = LockRequest.exclusive("abandoned");

	private final AtomicInteger interrupted = new AtomicInteger();

	private final AtomicInteger refused = new AtomicInteger();

	private final AtomicInteger granted = new AtomicInteger();

	private final ScheduledExecutorService interrupter = Executors.newScheduledThreadPool(1);

	private LocalServer server;

	private ZooKeeperProxy proxy;

	@BeforeEach
	void start() throws Exception {
		this.server = new LocalServer();
		this.proxy = ZooKeeperProxy.to(this.server.port());
	}

	@AfterEach
	void stop() throws Exception {
		this.interrupter.shutdownNow();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void thousandAbandonedWaitsLeaveNothing() throws Exception {
		String holder = hold();
		try (Instance instance = Instance.connectedTo(this.server.connectString())) {
			instance.template().acquire(REQUEST.withKey("warm")).close();
			abandonManyWaits(instance, 125, 10);
			assertThat(this.interrupted.get() + this.refused.get()).isEqualTo(1000);
			assertThat(this.interrupted).hasValueGreaterThan(100);
			assertThat(this.refused).hasValueGreaterThan(100);
			await().untilAsserted(() -> assertThat(this.server.contenders(REQUEST)).containsExactly(holder));
			await().untilAsserted(() -> assertThat(this.server.watches()).isZero());
		}
	}

	@Test
	void watchWhoseRequestIsInterruptedIsRemoved() throws Exception {
		hold();
		try (Instance instance = Instance.connectedTo(this.proxy.connectString())) {
			instance.template().acquire(REQUEST.withKey("warm")).close();
			Thread waiter = new Thread(() -> acquire(instance, LockRequest.FOREVER));
			waiter.setUncaughtExceptionHandler((thread, ex) -> this.interrupted.incrementAndGet());
			CountDownLatch abandoned = new CountDownLatch(1);
			this.proxy.onNextReply(Operation.GET_DATA, () -> {
				waiter.interrupt();
				await().until(() -> this.proxy.count(Operation.DELETE) >= 2);
				abandoned.countDown();
			});
			waiter.start();
			assertThat(abandoned.await(10, TimeUnit.SECONDS)).isTrue();
			waiter.join(TimeUnit.SECONDS.toMillis(10));
			assertThat(this.interrupted).hasValue(1);
			await().untilAsserted(() -> assertThat(this.server.watches()).isZero());
			assertThat(this.server.contenders(REQUEST)).hasSize(1);
		}
	}

	@Test
	void attemptsAbandonedWhileTheyCreateLeaveNothing() throws Exception {
		String holder = hold();
		try (Instance instance = Instance.connectedTo(this.proxy.connectString())) {
			instance.template().acquire(REQUEST.withKey("warm")).close();
			this.proxy.delay(Duration.ofMillis(10));
			abandonManyWaits(instance, 20, 40);
			this.proxy.heal();
			await().untilAsserted(() -> assertThat(this.server.contenders(REQUEST)).containsExactly(holder));
			await().untilAsserted(() -> assertThat(this.server.watches()).isZero());
		}
	}

	@Test
	void attemptsAbandonedWhileTheyAreGrantedLeaveNothing() throws Exception {
		try (Instance instance = Instance.connectedTo(this.proxy.connectString())) {
			instance.template().acquire(REQUEST.withKey("warm")).close();
			this.proxy.delay(Duration.ofMillis(3));
			abandonManyWaits(instance, 20, 40);
			this.proxy.heal();
			assertThat(this.granted).hasPositiveValue();
			await().untilAsserted(() -> assertThat(this.server.contenders(REQUEST)).isEmpty());
			await().untilAsserted(() -> assertThat(this.server.watches()).isZero());
		}
	}

	@Test
	void stockAttemptsAbandonedWhileTheyAreGrantedLeaveNoNode() throws Exception {
		try (Instance instance = Instance.with(this.proxy.connectString(), Duration.ofSeconds(30),
				Instance.settings(Recipe.STOCK, Map.of()))) {
			instance.template().acquire(REQUEST.withKey("warm")).close();
			this.proxy.delay(Duration.ofMillis(3));
			abandonManyWaits(instance, 20, 40);
			this.proxy.heal();
			await().untilAsserted(() -> assertThat(this.server.contenders(REQUEST)).isEmpty());
		}
	}

	private String hold() throws Exception {
		String path = this.server.observer()
			.create()
			.creatingParentContainersIfNeeded()
			.withMode(CreateMode.EPHEMERAL)
			.forPath(LocalServer.pathOf(REQUEST) + "/_c_somebody-lock-0000000000");
		return path.substring(path.lastIndexOf('/') + 1);
	}

	private void abandonManyWaits(Instance instance, int rounds, int limitMillis) throws Exception {
		List<Callable<?>> tasks = new ArrayList<>();
		for (int thread = 0; thread < THREADS; thread++) {
			Random random = new Random(thread);
			tasks.add(() -> {
				for (int round = 0; round < rounds; round++) {
					abandonOne(instance, random.nextBoolean(), 1 + random.nextInt(limitMillis));
				}
				return null;
			});
		}
		UnguardedCounter.runTogether(tasks);
	}

	private void abandonOne(Instance instance, boolean byInterrupt, int millis) throws Exception {
		if (!byInterrupt) {
			acquire(instance, Duration.ofMillis(millis));
			return;
		}
		Thread self = Thread.currentThread();
		Future<?> interruption = this.interrupter.schedule(self::interrupt, millis, TimeUnit.MILLISECONDS);
		try {
			acquire(instance, LockRequest.FOREVER);
		}
		catch (LockInterruptedException ex) {
			assertThat(Thread.interrupted()).as("interrupt flag").isTrue();
			this.interrupted.incrementAndGet();
		}
		if (!interruption.cancel(false)) {
			await().until(interruption::isDone);
			Thread.interrupted();
		}
	}

	private void acquire(Instance instance, Duration waitTime) {
		try {
			instance.template().tryAcquire(REQUEST.withWaitTime(waitTime)).ifPresentOrElse((handle) -> {
				this.granted.incrementAndGet();
				handle.closeAsync();
			}, this.refused::incrementAndGet);
		}
		catch (LockServiceUnavailableException ex) {
			this.refused.incrementAndGet();
		}
	}

	@Test
	void interruptBeforeTheAttemptIsKept() {
		try (Instance instance = Instance.connectedTo(this.server.connectString())) {
			Thread.currentThread().interrupt();
			boolean refused = false;
			try (LockHandle handle = instance.template().acquire(REQUEST)) {
				assertThat(handle).isNull();
			}
			catch (LockInterruptedException ex) {
				refused = true;
			}
			assertThat(Thread.interrupted()).as("interrupt flag").isTrue();
			assertThat(refused).isTrue();
			await().untilAsserted(() -> assertThat(this.server.contenders(REQUEST)).isEmpty());
		}
	}

	@Test
	void interruptDuringTheBodyIsKeptOverTheRelease() {
		try (Instance instance = Instance.connectedTo(this.server.connectString())) {
			LockHandle handle = instance.template().acquire(REQUEST);
			Thread.currentThread().interrupt();
			handle.close();
			assertThat(Thread.interrupted()).as("interrupt flag").isTrue();
			assertThat(this.server.contenders(REQUEST)).isEmpty();
		}
	}

}

package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockInterruptedException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.Operation;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.zookeeper.Recipe;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

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
	@Proves(value = Promise.NOTHING_IS_LEFT_BEHIND, under = Fault.CALLERS_GIVE_UP)
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
	@Proves(value = Promise.NOTHING_IS_LEFT_BEHIND, under = Fault.CALLERS_ARE_INTERRUPTED)
	void watchWhoseRequestIsInterruptedIsRemoved() throws Exception {
		hold();
		try (Instance instance = Instance.connectedTo(this.proxy.connectString())) {
			instance.template().acquire(REQUEST.withKey("warm")).close();
			Thread waiter = new Thread(() -> acquire(instance, LockRequest.FOREVER));
			waiter.setUncaughtExceptionHandler((thread, ex) -> this.interrupted.incrementAndGet());
			CountDownLatch abandoned = new CountDownLatch(1);
			this.proxy.onNextReply(Operation.EXISTS, () -> {
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

	/**
	 * The servers have done what was asked, the caller gives up, the answer is lost with
	 * its connection, and the client comes back in the same session.
	 */
	@ParameterizedTest
	@EnumSource(names = { "CREATE2", "GET_CHILDREN2", "EXISTS" })
	void attemptAbandonedBeforeAnAnswerThatIsLostLeavesNothing(Operation phase) throws Exception {
		String holder = hold();
		try (Instance instance = Instance.connectedTo(this.proxy.connectString())) {
			instance.template().acquire(REQUEST.withKey("warm")).close();
			long session = sessionOf(instance);
			CompletableFuture<LockAttempt> started = new CompletableFuture<>();
			CountDownLatch abandoned = new CountDownLatch(1);
			this.proxy.onNextReply(phase, () -> {
				started.join().abandon();
				abandoned.countDown();
			});
			this.proxy.loseNextReply(phase);
			LockAttempt attempt = instance.provider().attempt(REQUEST, LockCaller.current());
			started.complete(attempt);
			assertThat(abandoned.await(10, TimeUnit.SECONDS)).isTrue();
			assertThat(attempt.outcome()).isCancelled();
			assertThatNothingIsLeft(instance, session, holder);
		}
	}

	/**
	 * The request is under way when the caller gives up, and never reaches the servers.
	 */
	@ParameterizedTest
	@EnumSource(names = { "CREATE2", "EXISTS" })
	void attemptAbandonedBeforeARequestThatIsLostLeavesNothing(Operation phase) throws Exception {
		String holder = hold();
		try (Instance instance = Instance.connectedTo(this.proxy.connectString())) {
			instance.template().acquire(REQUEST.withKey("warm")).close();
			long session = sessionOf(instance);
			this.proxy.forget();
			if (phase == Operation.CREATE2) {
				this.proxy.holdRequests();
			}
			else {
				this.proxy.onNextReply(Operation.GET_CHILDREN2, this.proxy::holdRequests);
			}
			LockAttempt attempt = instance.provider().attempt(REQUEST, LockCaller.current());
			await().until(() -> this.proxy.count(phase) > 0
					|| (phase == Operation.EXISTS && this.proxy.count(Operation.GET_CHILDREN2) > 1));
			attempt.abandon();
			assertThat(attempt.outcome()).isCancelled();
			this.proxy.cut();
			this.proxy.heal();
			assertThatNothingIsLeft(instance, session, holder);
		}
	}

	/**
	 * The lock becomes free, and the caller gives up while the news are on their way.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void attemptAbandonedWhileItsTurnIsAnnouncedLeavesNothing(boolean lost) throws Exception {
		String holder = hold();
		try (Instance instance = Instance.connectedTo(this.proxy.connectString())) {
			instance.template().acquire(REQUEST.withKey("warm")).close();
			long session = sessionOf(instance);
			LockAttempt attempt = instance.provider().attempt(REQUEST, LockCaller.current());
			await().until(() -> this.server.watches() == 2);
			CountDownLatch abandoned = new CountDownLatch(1);
			this.proxy.onNextReply(Operation.WATCH_EVENT, () -> {
				attempt.abandon();
				abandoned.countDown();
			});
			if (lost) {
				this.proxy.loseNextReply(Operation.WATCH_EVENT);
			}
			this.server.observer().delete().forPath(LocalServer.pathOf(REQUEST) + "/" + holder);
			assertThat(abandoned.await(10, TimeUnit.SECONDS)).isTrue();
			assertThat(attempt.outcome()).isCancelled();
			assertThatNothingIsLeft(instance, session);
		}
	}

	/**
	 * The caller gives up after the engine has decided to grant, and before it is told.
	 */
	@Test
	void grantThatComesAfterTheCallerHasGivenUpIsReleased() throws Exception {
		hold();
		LockRequest free = REQUEST.withKey("free");
		try (Instance instance = Instance.connectedTo(this.server.connectString())) {
			LockGrant grant = instance.provider()
				.attempt(free, LockCaller.current())
				.outcome()
				.get(10, TimeUnit.SECONDS)
				.orElseThrow();
			LockAttempt abandoned = instance.provider().attempt(REQUEST, LockCaller.current());
			abandoned.abandon();
			((NodeAttempt) abandoned).grant((NodeGrant) grant);
			await().untilAsserted(() -> assertThat(this.server.contenders(free)).isEmpty());
			assertThat(grant.state()).isEqualTo(LockState.RELEASED);
		}
	}

	private void assertThatNothingIsLeft(Instance instance, long session, String... others) throws Exception {
		await().until(instance.client().getZookeeperClient()::isConnected);
		await().untilAsserted(() -> {
			assertThat(this.server.contenders(REQUEST)).containsExactly(others);
			assertThat(this.server.watches()).isZero();
		});
		instance.template().acquire(REQUEST.withKey("warm")).close();
		assertThat(this.server.contenders(REQUEST)).containsExactly(others);
		assertThat(this.server.watches()).isZero();
		assertThat(sessionOf(instance)).as("session").isEqualTo(session);
	}

	private static long sessionOf(Instance instance) throws Exception {
		return instance.client().getZookeeperClient().getZooKeeper().getSessionId();
	}

	@Test
	@Proves(value = Promise.NOTHING_IS_LEFT_BEHIND, under = Fault.THE_LINE_IS_SLOW)
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
	@Proves(value = Promise.NOTHING_IS_LEFT_BEHIND, under = Fault.THE_LINE_IS_SLOW)
	void attemptsAbandonedWhileTheyAreGrantedLeaveNothing() throws Exception {
		try (Instance instance = Instance.connectedTo(this.proxy.connectString())) {
			instance.template().acquire(REQUEST.withKey("warm")).close();
			this.proxy.delay(Duration.ofMillis(3));
			// A slow machine needs longer waits for some of them to be granted.
			for (int limitMillis = 40; this.granted.get() == 0 && limitMillis < 4000; limitMillis *= 2) {
				abandonManyWaits(instance, 20, limitMillis);
			}
			this.proxy.heal();
			assertThat(this.granted).hasPositiveValue();
			await().untilAsserted(() -> assertThat(this.server.contenders(REQUEST)).isEmpty());
			await().untilAsserted(() -> assertThat(this.server.watches()).isZero());
		}
	}

	@Test
	void stockAttemptsAbandonedWhileTheyAreGrantedLeaveNoNode() throws Exception {
		try (Instance instance = Instance.with(this.proxy.connectString(), Duration.ofSeconds(30),
				Instance.settings(Recipe.CURATOR, Map.of()))) {
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
		Interruption interruption = new Interruption(Thread.currentThread());
		this.interrupter.schedule(interruption, millis, TimeUnit.MILLISECONDS);
		try {
			acquire(instance, LockRequest.FOREVER);
		}
		catch (LockInterruptedException ex) {
			assertThat(Thread.interrupted()).as("interrupt flag").isTrue();
			this.interrupted.incrementAndGet();
		}
		interruption.end();
	}

	private void acquire(Instance instance, Duration waitTime) {
		try {
			instance.template().tryAcquire(REQUEST.withWaitTime(waitTime)).ifPresentOrElse((handle) -> {
				this.granted.incrementAndGet();
				handle.close();
			}, this.refused::incrementAndGet);
		}
		catch (LockServiceUnavailableException ex) {
			this.refused.incrementAndGet();
		}
	}

	@Test
	void interruptBeforeTheAttemptIsKept() throws Exception {
		// A free lock may be granted before the thread begins to wait, and is handed out.
		String holder = hold();
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
			await().untilAsserted(() -> assertThat(this.server.contenders(REQUEST)).containsExactly(holder));
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

	/**
	 * An interrupt that comes before its end or never. {@code Future.cancel} does not say
	 * as much: it succeeds while the task runs.
	 */
	private static final class Interruption implements Runnable {

		private final Thread thread;

		private boolean over;

		Interruption(Thread thread) {
			this.thread = thread;
		}

		@Override
		public synchronized void run() {
			if (!this.over) {
				this.thread.interrupt();
			}
		}

		synchronized void end() {
			this.over = true;
			Thread.interrupted();
		}

	}

}

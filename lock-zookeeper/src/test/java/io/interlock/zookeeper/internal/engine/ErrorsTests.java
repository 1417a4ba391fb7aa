package io.interlock.zookeeper.internal.engine;

import java.lang.StackWalker.StackFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LossPolicy;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.testsupport.proxy.Operation;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for errors that no code expects, thrown where the engine calls code of the
 * application or starts a thread: no timer, no other attempt and no later acquisition is
 * harmed.
 */
@Timeout(120)
@ExtendWith(SharedServer.class)
class ErrorsTests {

	private static final Duration SESSION = Duration.ofSeconds(3);

	private static final int AFTERWARDS = 200;

	private static final int HOLDS = 20;

	private static final int BEATS = 3;

	private static final LockRequest REQUEST = LockRequest.exclusive("errors").withWaitTime(Duration.ofSeconds(20));

	private final AtomicInteger thrown = new AtomicInteger();

	private final LocalServer server;

	private ZooKeeperProxy proxy;

	ErrorsTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void start() {
		// An error that ends a thread of the library is judged by what it does to others.
		Awaitility.doNotCatchUncaughtExceptionsByDefault();
		this.proxy = ZooKeeperProxy.to(this.server.port());
	}

	@AfterEach
	void stop() {
		Awaitility.reset();
		this.proxy.close();
	}

	/**
	 * Throw one of the errors in turn.
	 */
	private void fail() {
		if (this.thrown.getAndIncrement() % 2 == 0) {
			throw new OutOfMemoryError("unable to create native thread");
		}
		throw new StackOverflowError();
	}

	@Test
	void actionsForALossThatThrowKeepNoOtherFromRunning() throws Exception {
		try (Instance instance = connect()) {
			AtomicInteger ran = new AtomicInteger();
			LockHandle held = instance.template().acquire(REQUEST.withOnLoss(LossPolicy.INTERRUPT));
			held.onLoss(this::fail);
			held.onLoss(this::fail);
			held.onLoss(ran::incrementAndGet);
			deleteNodesOf(REQUEST);
			await().untilAsserted(() -> assertThat(ran).as("actions after those that threw").hasValue(1));
			caught(held::close);
			assertThatAllGoesOn(instance);
		}
	}

	@Test
	void actionsAddedAfterTheLossThatThrowHarmNothingElse() throws Exception {
		try (Instance instance = connect()) {
			LockHandle held = instance.template().acquire(REQUEST);
			deleteNodesOf(REQUEST);
			await().until(held::isLost);
			caught(() -> held.onLoss(this::fail));
			caught(() -> held.onLoss(this::fail));
			held.close();
			assertThatAllGoesOn(instance);
		}
	}

	@Test
	void listenerThatThrowsHarmsNothingElse() throws Exception {
		AtomicBoolean throwing = new AtomicBoolean(true);
		LockListener listener = new ThrowingListener(() -> {
			if (throwing.get()) {
				fail();
			}
		});
		try (Instance instance = Instance.connectedTo(this.proxy.connectString(), SESSION, listener)) {
			for (int i = 0; i < 2; i++) {
				instance.template().acquire(REQUEST).close();
				LockHandle lost = instance.template().acquire(REQUEST);
				deleteNodesOf(REQUEST);
				await().until(lost::isLost);
				lost.close();
			}
			throwing.set(false);
			assertThat(this.thrown).hasValueGreaterThan(2);
			assertThatAllGoesOn(instance);
		}
	}

	/**
	 * The actions run on the thread that decides the outcome.
	 */
	@Test
	void actionsOnAnOutcomeThatThrowHarmNothingElse() throws Exception {
		try (Instance instance = connect()) {
			LockHandle inFront = instance.template().acquire(REQUEST);
			LockAttempt first = attemptThatThrows(instance);
			await().until(() -> this.server.contenders(REQUEST).size() == 2);
			LockAttempt second = attemptThatThrows(instance);
			inFront.close();
			close(first);
			close(second);
			// An outcome wakes its waiter before it runs the actions.
			await().untilAsserted(() -> assertThat(this.thrown).hasValue(2));
			assertThatAllGoesOn(instance);
		}
	}

	private LockAttempt attemptThatThrows(Instance instance) {
		LockAttempt attempt = instance.provider().attempt(REQUEST, LockCaller.current());
		attempt.outcome().thenRun(this::fail);
		return attempt;
	}

	private static void close(LockAttempt attempt) throws Exception {
		attempt.outcome().get(10, TimeUnit.SECONDS).orElseThrow().release();
	}

	@Test
	void acquisitionsWhoseThreadCannotBeStartedLeaveNothingBehind() throws Exception {
		try (Threads threads = new Threads(); Instance instance = connect()) {
			instance.client().blockUntilConnected();
			threads.refuse();
			for (int i = 0; i < AFTERWARDS; i++) {
				caught(() -> instance.template().acquire(REQUEST).close());
			}
			threads.allow();
			assertThatAllGoesOn(instance);
		}
	}

	@Test
	void lossesThatFindNoThreadAreNotTheEndOfTheTimer() throws Exception {
		try (Threads threads = new Threads(); Instance instance = connect()) {
			List<LockHandle> held = new ArrayList<>();
			CountDownLatch end = new CountDownLatch(1);
			for (int i = 0; i < HOLDS; i++) {
				LockHandle handle = instance.template().acquire(REQUEST.withKey(i));
				handle.onLoss(() -> awaitEnd(end));
				held.add(handle);
			}
			threads.remove();
			threads.refuse();
			this.proxy.refuse();
			await().atMost(SESSION.multipliedBy(5)).until(() -> held.stream().allMatch(LockHandle::isLost));
			await().during(SESSION)
				.atMost(SESSION.multipliedBy(5))
				.until(() -> held.stream().noneMatch(LockHandle::isValid));
			threads.allow();
			this.proxy.heal();
			end.countDown();
			held.forEach(LockHandle::close);
			assertThatAllGoesOn(instance);
		}
	}

	private static void awaitEnd(CountDownLatch end) {
		try {
			end.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private Instance connect() {
		return Instance.connectedTo(this.proxy.connectString(), SESSION);
	}

	/**
	 * Assert that locks can be acquired, that the timer goes on to ask the servers for a
	 * hold, without which it would not outlive the session timeout, and that losses are
	 * noticed and told.
	 */
	private void assertThatAllGoesOn(Instance instance) throws Exception {
		for (int i = 0; i < AFTERWARDS; i++) {
			instance.template().acquire(REQUEST.withKey("afterwards")).close();
		}
		LockRequest last = REQUEST.withKey("last");
		AtomicBoolean told = new AtomicBoolean();
		LockHandle held = instance.template().acquire(last);
		held.onLoss(() -> told.set(true));
		this.proxy.forget();
		await().until(() -> this.proxy.count(Operation.MULTI) >= BEATS);
		assertThat(held.isValid()).isTrue();
		deleteNodesOf(last);
		await().untilTrue(told);
		assertThat(held.isLost()).isTrue();
		held.close();
		await().untilAsserted(() -> {
			assertThat(this.server.contenders(REQUEST)).isEmpty();
			assertThat(this.server.contenders(REQUEST.withKey("afterwards"))).isEmpty();
			assertThat(this.server.watches()).as("watches").isZero();
		});
	}

	private void deleteNodesOf(LockRequest request) throws Exception {
		for (String name : this.server.contenders(request)) {
			this.server.observer().delete().forPath(LocalServer.pathOf(request) + "/" + name);
		}
	}

	/**
	 * Run something that may fail with the error that was injected.
	 */
	private static void caught(Runnable action) {
		try {
			action.run();
		}
		catch (VirtualMachineError | LockServiceUnavailableException ex) {
			// The application's own error has reached it, or that of a thread of ours.
		}
	}

	/**
	 * Does the same whatever it is told of.
	 */
	private record ThrowingListener(Runnable action) implements LockListener {

		@Override
		public void onWaiting(LockRequest request) {
			this.action.run();
		}

		@Override
		public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
			this.action.run();
		}

		@Override
		public void onReleased(LockHandle handle, Duration held) {
			this.action.run();
		}

		@Override
		public void onLost(LockHandle handle) {
			this.action.run();
		}

	}

	/**
	 * The threads that the library starts on this thread, on those, and so on: a thread
	 * copies its inheritable variables when it makes another one. ZooKeeper and Curator
	 * are not under test, and get their threads.
	 */
	private static final class Threads extends InheritableThreadLocal<Boolean> implements AutoCloseable {

		private final AtomicBoolean refusing = new AtomicBoolean();

		Threads() {
			set(true);
		}

		@Override
		protected Boolean childValue(Boolean parentValue) {
			if (this.refusing.get() && isStartedByTheLibrary()) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return parentValue;
		}

		private static boolean isStartedByTheLibrary() {
			return StackWalker.getInstance()
				.walk((frames) -> frames.map(StackFrame::getClassName)
					.filter((name) -> !name.startsWith("java.") && !name.startsWith("org.springframework.")
							&& !name.startsWith(ErrorsTests.class.getName()))
					.findFirst()
					.filter((name) -> name.startsWith("io.interlock."))
					.isPresent());
		}

		void refuse() {
			this.refusing.set(true);
		}

		void allow() {
			this.refusing.set(false);
		}

		@Override
		public void close() {
			allow();
			remove();
		}

	}

}

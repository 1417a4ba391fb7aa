package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.LossPolicy;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for holds that would not end before a shutdown, and for those that never end.
 */
@Timeout(30)
@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("try")
class LockTemplateShutdownTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").withKey(42);

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final LockSettings NOTING_PLACES = new LockSettings(Duration.ofSeconds(10), Map.of(),
			Duration.ofSeconds(1), Duration.ZERO, 64, true, LockSettings.OnEventLoop.FAIL);

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final List<LockHandle> lost = new CopyOnWriteArrayList<>();

	private final List<Thread> callers = new CopyOnWriteArrayList<>();

	private volatile Runnable onReleased = () -> {
	};

	private final LockTemplate template = new LockTemplate(this.provider, NOTING_PLACES, this.heldLocks,
			List.of(new LockListener() {
				@Override
				public void onLost(LockHandle handle) {
					LockTemplateShutdownTests.this.lost.add(handle);
				}

				@Override
				public void onReleased(LockHandle handle, Duration held) {
					LockTemplateShutdownTests.this.onReleased.run();
				}
			}));

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(this.provider.openGrants()).isZero();
		assertThat(this.heldLocks.held()).isEmpty();
	}

	@Test
	void holdOfTheThreadThatStopsIsEndedAtOnce(CapturedOutput output) throws Exception {
		LockHandle handle = this.template.acquire(REQUEST);
		assertThat(this.heldLocks.awaitReleased(LONG)).isTrue();
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
		assertThat(handle.isValid()).isFalse();
		assertThat(handle.state()).isEqualTo(LockState.LOST);
		handle.close();
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
		assertThat(this.lost).isEmpty();
		assertThat(linesOfTheLocks(output)).singleElement()
			.asString()
			.contains("orders[42]", "stops the application itself", "LockTemplateShutdownTests.java:");
	}

	@Test
	void bodyOfTheThreadThatStopsIsToldOfTheLoss(CapturedOutput output) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(
				() -> this.template.executeWithoutResult(REQUEST, (lock) -> this.heldLocks.awaitReleased(LONG)));
		assertThat(output).contains("LockTemplateShutdownTests.java:");
	}

	@Test
	@Proves(value = Promise.SHUTDOWN, under = Fault.THE_APPLICATION_STOPS)
	void threadThatStopsIsNotInterruptedByTheLossOfItsOwnHold() throws Exception {
		CountDownLatch goOn = new CountDownLatch(1);
		CountDownLatch told = new CountDownLatch(1);
		Background<Boolean> other = Background.start(() -> {
			try (LockHandle handle = this.template.acquire(REQUEST.withKey("other"))) {
				return goOn.await(10, TimeUnit.SECONDS) && handle.isValid();
			}
		});
		await().until(() -> !this.heldLocks.held().isEmpty());
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute(REQUEST.withOnLoss(LossPolicy.INTERRUPT), (lock) -> {
				lock.onLoss(told::countDown);
				assertThat(this.heldLocks.awaitReleased(Duration.ofMillis(20))).as("the other hold").isFalse();
				assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
				assertThat(Thread.currentThread().isInterrupted()).isFalse();
				goOn.countDown();
				return this.heldLocks.awaitReleased(LONG);
			}));
		assertThat(other.join()).as("valid until its end").isTrue();
	}

	@Test
	void verificationOfAHoldThatTheShutdownHasEndedTellsALoss() throws Exception {
		LockHandle handle = this.template.acquire(REQUEST);
		assertThat(this.heldLocks.awaitReleased(LONG)).isTrue();
		assertThat(handle.state()).isEqualTo(LockState.LOST);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::verify);
		handle.close();
		assertThatIllegalStateException().isThrownBy(handle::verify);
	}

	@Test
	void holdIsLostBeforeTheShutdownReleasesIt() throws Exception {
		LockHandle handle = this.template.acquire(REQUEST);
		List<LockState> states = new CopyOnWriteArrayList<>();
		this.provider.onlyGrant().whenReleased(() -> states.add(handle.state()));
		assertThat(this.heldLocks.awaitReleased(LONG)).isTrue();
		assertThat(states).containsExactly(LockState.LOST);
		handle.close();
	}

	@Test
	void listenerMayWaitForAHolderThatCloses() throws Exception {
		CountDownLatch goOn = new CountDownLatch(1);
		Background<Boolean> other = Background.start(() -> {
			try (LockHandle handle = this.template.acquire(REQUEST.withKey("other"))) {
				return goOn.await(10, TimeUnit.SECONDS);
			}
		});
		await().until(() -> !this.heldLocks.held().isEmpty());
		LockHandle handle = this.template.acquire(REQUEST);
		List<Boolean> closed = new CopyOnWriteArrayList<>();
		Thread stopping = Thread.currentThread();
		this.onReleased = () -> {
			if (Thread.currentThread() == stopping) {
				goOn.countDown();
				closed.add(hasEnded(other));
			}
		};
		assertThat(this.heldLocks.awaitReleased(LONG)).isTrue();
		assertThat(closed).containsExactly(true);
		handle.close();
	}

	private static boolean hasEnded(Background<Boolean> other) {
		try {
			return other.join();
		}
		catch (Exception ex) {
			return false;
		}
	}

	@Test
	@Proves(value = Promise.SHUTDOWN, under = Fault.THE_APPLICATION_STOPS)
	void callerThatWasGrantedALockIsWaitedFor() {
		List<Boolean> released = new CopyOnWriteArrayList<>();
		this.provider.answers((attempt) -> {
			attempt.granted().whenLookedAt(() -> {
				attempt.granted().whenLookedAt(() -> {
				});
				released.add(stopAndLook());
			});
			attempt.grant();
		});
		this.template.acquire(REQUEST).close();
		assertThat(released).containsExactly(false);
	}

	private boolean stopAndLook() {
		this.heldLocks.stop();
		try {
			return this.heldLocks.awaitReleased(Duration.ZERO);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	@Proves(value = Promise.SHUTDOWN, under = Fault.THE_APPLICATION_STOPS)
	void holdOfAThreadThatHasEndedIsEndedAtOnce(CapturedOutput output) throws Exception {
		LockHandle handle = callInBackground(() -> this.template.acquire(REQUEST));
		CountDownLatch told = new CountDownLatch(1);
		handle.onLoss(told::countDown);
		awaitEnd();
		assertThat(this.heldLocks.awaitReleased(LONG)).isTrue();
		told.await();
		assertThat(this.lost).isEmpty();
		assertThat(output).contains("has ended without releasing it", "LockTemplateShutdownTests.java:");
	}

	@Test
	@Timeout(120)
	@Proves(value = Promise.SHUTDOWN, under = Fault.THE_APPLICATION_STOPS)
	void holdOfAThreadThatHasCalledExitIsEndedAtOnce() throws Exception {
		try (JavaProcess worker = JavaProcess.start(ExitingWorker.class, null, JavaProcess.quickStart("64m"),
				List.of())) {
			assertThat(worker.await(ExitingWorker.RELEASED, Duration.ofSeconds(90))).isEqualTo("true");
		}
	}

	@Test
	void holdThatWasDetachedIsWaitedFor() throws Exception {
		LockHandle handle = this.template.acquire(REQUEST).detach();
		assertThat(this.heldLocks.awaitReleased(Duration.ofMillis(20))).isFalse();
		assertThat(handle.isValid()).isTrue();
		handle.close();
		assertThat(this.heldLocks.awaitReleased(LONG)).isTrue();
	}

	@Test
	void holdOfAnotherThreadIsWaitedForUntilThatEnds() throws Exception {
		CountDownLatch goOn = new CountDownLatch(1);
		Background<LockHandle> holder = Background.start(() -> {
			LockHandle handle = this.template.acquire(REQUEST);
			goOn.await();
			return handle;
		});
		await().until(() -> !this.heldLocks.held().isEmpty());
		assertThat(this.heldLocks.awaitReleased(Duration.ofMillis(20))).isFalse();
		assertThat(this.provider.onlyGrant().isReleased()).isFalse();
		goOn.countDown();
		assertThat(this.heldLocks.awaitReleased(LONG)).isTrue();
		assertThat(holder.join().isValid()).isFalse();
	}

	@Test
	@Proves(value = Promise.SHUTDOWN, under = Fault.THE_THREAD_ENDS_WITHOUT_A_RELEASE)
	void leakIsToldOnceWhileTheApplicationRuns(CapturedOutput output) throws Exception {
		LockHandle leaked = callInBackground(() -> this.template.acquire(REQUEST));
		LockHandle detached = callInBackground(() -> this.template.acquire(REQUEST.withKey("detached")).detach());
		LockHandle held = this.template.acquire(REQUEST.withKey("held"));
		awaitEnd();
		this.heldLocks.lookForLeaks();
		this.heldLocks.lookForLeaks();
		assertThat(linesOfTheLocks(output)).singleElement()
			.asString()
			.contains("orders[42]", "'background'", "has ended without releasing it",
					"LockTemplateShutdownTests.java:");
		assertThat(leaked.isValid()).isTrue();
		List.of(leaked, detached, held).forEach(LockHandle::close);
	}

	@Test
	void leakIsToldWithoutAPlaceUnlessPlacesAreNoted(CapturedOutput output) throws Exception {
		LockTemplate plain = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks, List.of());
		LockHandle leaked = callInBackground(() -> plain.acquire(REQUEST));
		awaitEnd();
		this.heldLocks.lookForLeaks();
		assertThat(linesOfTheLocks(output)).singleElement()
			.asString()
			.contains("has ended without releasing it", "set interlock.leak-detection=true")
			.doesNotContain("LockTemplateShutdownTests.java:");
		leaked.close();
	}

	@Test
	void bodyThatRunsIsToldWithItsPlaceAlthoughPlacesAreNotNoted(CapturedOutput output) {
		LockTemplate plain = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks, List.of());
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> plain.executeWithoutResult(REQUEST, (lock) -> this.heldLocks.awaitReleased(LONG)));
		assertThat(output).contains("It was acquired at", "LockTemplateShutdownTests.java:");
	}

	@Test
	@Proves(value = Promise.SHUTDOWN, under = Fault.THE_THREAD_ENDS_WITHOUT_A_RELEASE)
	void lockOfAThreadThatHasEndedIsALeak(CapturedOutput output) throws Exception {
		callInBackground(() -> {
			this.template.asLock(REQUEST).lock();
			this.template.asLock(REQUEST.withKey("tried")).tryLock();
			return this.template.tryAcquire(REQUEST.withKey("acquired")).orElseThrow();
		});
		awaitEnd();
		this.heldLocks.lookForLeaks();
		assertThat(linesOfTheLocks(output)).hasSize(3)
			.allMatch((line) -> line.contains("has ended without releasing it")
					&& line.contains("LockTemplateShutdownTests.java:"));
		this.heldLocks.stop();
		assertThat(this.heldLocks.awaitReleased(LONG)).isTrue();
	}

	@Test
	void looksForLeaksWhileAnythingIsHeld() {
		try (OwnTimer time = new OwnTimer()) {
			HeldLocks heldLocks = new HeldLocks(time);
			LockHandle held = new LockTemplate(this.provider, LockSettings.defaults(), heldLocks, List.of())
				.acquire(REQUEST);
			assertThat(time.timer().getQueue()).hasSize(1);
			time.timer().getQueue().clear();
			heldLocks.lookForLeaks();
			assertThat(time.timer().getQueue()).hasSize(1);
			time.timer().getQueue().clear();
			held.close();
			heldLocks.lookForLeaks();
			assertThat(time.timer().getQueue()).isEmpty();
		}
	}

	@Test
	void holdIsKnownUntilItIsReleased() {
		LockHandle handle = this.template.acquire(REQUEST);
		this.provider.onlyGrant().whenReleased(() -> assertThat(this.heldLocks.held()).hasSize(1));
		handle.close();
		assertThat(this.provider.onlyGrant().isReleased()).isTrue();
	}

	private LockHandle callInBackground(Callable<LockHandle> call) throws Exception {
		return Background.call(() -> {
			this.callers.add(Thread.currentThread());
			return call.call();
		});
	}

	private void awaitEnd() {
		await().until(() -> this.callers.stream().noneMatch(Thread::isAlive));
	}

	/**
	 * Return what is said of the locks. Threads of other tests may say something too.
	 */
	private static Stream<String> linesOfTheLocks(CapturedOutput output) {
		return output.toString().lines().filter((line) -> line.contains("orders["));
	}

}

package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.interlock.LockGrant;
import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockLostException;
import io.interlock.LockOwner;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Spin;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for holds that last longer than they said.
 */
@Timeout(30)
@ExtendWith(OutputCaptureExtension.class)
class LockTemplateMaxHoldTests {

	private static final Duration MAX_HOLD = Duration.ofMillis(20);

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").withMaxHold(MAX_HOLD);

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final BlockingQueue<Duration> overdue = new LinkedBlockingQueue<>();

	private final LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), new HeldLocks(),
			List.of(new LockListener() {

				@Override
				public void onOverdue(LockHandle handle, Duration held) {
					LockTemplateMaxHoldTests.this.overdue.add(held);
				}

			}));

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(Leftovers.takeInterrupt()).isFalse();
		assertThat(this.provider.openGrants()).isZero();
	}

	@Test
	@Proves(Promise.HOLDING_TOO_LONG)
	void anOverdueHoldIsTold() {
		this.template.executeWithoutResult(REQUEST, (lock) -> assertThat(awaitOverdue()).isGreaterThan(MAX_HOLD));
	}

	@Test
	void anOverdueHoldIsToldOnce() {
		this.template.executeWithoutResult(REQUEST, (lock) -> {
			assertThat(awaitOverdue()).isNotNull();
			awaitTimerAfter(MAX_HOLD.multipliedBy(3));
			assertThat(this.overdue).isEmpty();
		});
	}

	@Test
	@Proves(Promise.HOLDING_TOO_LONG)
	void anOverdueHoldStaysHeld() {
		this.template.executeWithoutResult(REQUEST, (lock) -> {
			awaitOverdue();
			assertThat(lock.isValid()).isTrue();
			assertThat(this.provider.onlyGrant().isReleased()).isFalse();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		});
	}

	@Test
	@Proves(Promise.HOLDING_TOO_LONG)
	void theWarningNamesTheThreadAndItsStack(CapturedOutput output) {
		CountDownLatch goOn = stopTimer();
		this.template.executeWithoutResult(REQUEST, (lock) -> awaitOverdue(goOn));
		assertThat(output).contains("WARN")
			.contains("Lock orders is held by thread '" + Thread.currentThread().getName() + "'")
			.containsPattern("for PT[0-9.]+S, longer than its limit of PT0\\.02S")
			.contains("It is at\n\tat ")
			.contains(getClass().getName() + ".awaitOverdue(");
	}

	@Test
	void theWarningNamesAThreadWithoutAName(CapturedOutput output) throws Exception {
		CountDownLatch goOn = stopTimer();
		Thread holder = new Thread(() -> this.template.executeWithoutResult(REQUEST, (lock) -> awaitOverdue(goOn)), "");
		holder.start();
		holder.join(20_000);
		assertThat(output).contains("is held by thread 'unnamed #%d' for".formatted(holder.getId()));
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void theWarningShowsTheStackOfAVirtualThread(CapturedOutput output) throws Exception {
		CountDownLatch goOn = stopTimer();
		Runnable body = () -> this.template.executeWithoutResult(REQUEST, (lock) -> awaitOverdue(goOn));
		Thread holder = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
		holder.join(20_000);
		assertThat(output).contains("is held by thread 'unnamed #%d' for".formatted(holder.getId()))
			.contains("It is at\n\tat ")
			.contains(getClass().getName() + ".awaitOverdue(");
	}

	@Test
	void theWarningShowsNoStackOfAThreadThatHasEnded(CapturedOutput output) throws Exception {
		CountDownLatch goOn = stopTimer();
		LockRequest request = LockRequest.exclusive("leaked").withMaxHold(MAX_HOLD);
		CompletableFuture<LockHandle> leaked = new CompletableFuture<>();
		Thread holder = new Thread(() -> leaked.complete(this.template.acquire(request)), "leaky");
		holder.start();
		holder.join(20_000);
		awaitOverdue(goOn);
		assertThat(output.toString().lines().filter((line) -> line.contains("Lock leaked is held by thread 'leaky'")))
			.singleElement(InstanceOfAssertFactories.STRING)
			.contains("longer than its limit of PT0.02S")
			.doesNotContain("It is at");
		leaked.join().close();
	}

	@Test
	void theStackIsTakenBeforeTheBodyIsInterrupted() throws Exception {
		CountDownLatch goOn = stopTimer();
		List<String> calls = new CopyOnWriteArrayList<>();
		Thread holder = new Thread(
				() -> this.template.executeWithoutResult(REQUEST.withOnLoss(LossPolicy.INTERRUPT), (lock) -> {
					goOn.countDown();
					Spin.until(Thread::interrupted);
				})) {

			@Override
			public StackTraceElement[] getStackTrace() {
				calls.add("stack");
				return super.getStackTrace();
			}

			@Override
			public void interrupt() {
				calls.add("interrupt");
				super.interrupt();
			}

		};
		holder.start();
		holder.join(20_000);
		assertThat(calls).containsExactly("stack", "interrupt");
	}

	@Test
	@Proves(Promise.HOLDING_TOO_LONG)
	void theLimitOfAJoinedHoldCounts(CapturedOutput output) {
		LockRequest patient = REQUEST.withMaxHold(Duration.ofMinutes(10));
		this.template.executeWithoutResult(patient, (outer) -> this.template.executeWithoutResult(REQUEST,
				(inner) -> assertThat(awaitOverdue()).isGreaterThan(MAX_HOLD)));
		assertThat(output).contains("longer than its limit of PT0.02S");
	}

	@Test
	void theLimitOfAJoinedHoldCountsWhereTheFirstRequestHasNone() {
		this.template.executeWithoutResult(LockRequest.exclusive("orders"),
				(outer) -> this.template.executeWithoutResult(REQUEST, (inner) -> awaitOverdue()));
	}

	@Test
	void theShortestOfAllLimitsIsToldOnce() {
		LockRequest longer = REQUEST.withMaxHold(MAX_HOLD.plusMillis(1));
		this.template.executeWithoutResult(longer, (outer) -> this.template.executeWithoutResult(REQUEST, (inner) -> {
			awaitOverdue();
			awaitTimerAfter(MAX_HOLD.multipliedBy(3));
			assertThat(this.overdue).isEmpty();
		}));
	}

	@Test
	void aJoinedHoldThatEndsInTimeIsNotTold() {
		Duration longer = Duration.ofMillis(50);
		this.template.executeWithoutResult(LockRequest.exclusive("orders"), (outer) -> {
			CountDownLatch goOn = stopTimer();
			this.template.acquire(REQUEST.withMaxHold(longer)).close();
			goOn.countDown();
			awaitTimerAfter(longer.multipliedBy(2));
			assertThat(this.overdue).isEmpty();
		});
	}

	@Test
	void anOverdueInnerBodyIsInterruptedWhenItsPolicyIsInterrupt() {
		this.template.executeWithoutResult(LockRequest.exclusive("orders"), (outer) -> {
			CountDownLatch goOn = stopTimer();
			assertThatExceptionOfType(InterruptedException.class)
				.isThrownBy(() -> this.template.execute(REQUEST.withOnLoss(LossPolicy.INTERRUPT), (inner) -> {
					goOn.countDown();
					return new CountDownLatch(1).await(20, TimeUnit.SECONDS);
				}));
			assertThat(outer.isValid()).isTrue();
		});
	}

	@Test
	void aHoldThatEndsInTimeIsNotTold(CapturedOutput output) {
		Duration longer = Duration.ofMillis(50);
		CountDownLatch goOn = stopTimer();
		this.template.acquire(REQUEST.withMaxHold(longer)).close();
		goOn.countDown();
		awaitTimerAfter(longer.multipliedBy(2));
		assertThat(this.overdue).isEmpty();
		assertThat(output).doesNotContain("longer than");
	}

	@Test
	void aHoldWithoutALimitIsNotTold() {
		this.template.executeWithoutResult(LockRequest.exclusive("orders"), (lock) -> {
			awaitTimerAfter(MAX_HOLD);
			assertThat(this.overdue).isEmpty();
		});
	}

	@Test
	@Proves(Promise.HOLDING_TOO_LONG)
	void anOverdueBodyIsInterruptedWhenItsPolicyIsInterrupt() {
		CountDownLatch goOn = stopTimer();
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.template.execute(REQUEST.withOnLoss(LossPolicy.INTERRUPT), (lock) -> {
				goOn.countDown();
				return new CountDownLatch(1).await(20, TimeUnit.SECONDS);
			}))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
	}

	@Test
	void theFirstBodyIsInterruptedIfTheHoldIsOverdueBeforeItBegins() {
		LockRequest request = REQUEST.withOnLoss(LossPolicy.INTERRUPT);
		LockGrant grant = this.provider.attempt(request, LockOwner.current()).outcome().join().orElseThrow();
		CountDownLatch told = new CountDownLatch(1);
		HeldLocks heldLocks = new HeldLocks();
		Acquisition acquisition = new Acquisition(request, Duration.ofSeconds(1), heldLocks, true);
		Hold hold = Hold.begin(acquisition, grant, heldLocks, new LockListeners(List.of(new LockListener() {
			@Override
			public void onOverdue(LockHandle handle, Duration held) {
				told.countDown();
			}
		})), Duration.ZERO, new Holder());
		Awaitility.await().until(() -> told.getCount() == 0);
		HoldHandle first = hold.outermost().beginBody();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(hold.join()).isTrue();
		HoldHandle second = new HoldHandle(hold, request).beginBody();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		second.close();
		first.close();
	}

	@Test
	@Proves(Promise.HOLDING_TOO_LONG)
	void anInnerBodyIsInterruptedAlthoughTheOuterOneIsOverdueAlready() {
		this.template.executeWithoutResult(REQUEST, (outer) -> {
			awaitOverdue();
			this.template.executeWithoutResult(REQUEST.withOnLoss(LossPolicy.INTERRUPT),
					(inner) -> Spin.until(Thread::interrupted));
			assertThat(this.overdue).as("told once").isEmpty();
		});
	}

	@Test
	void anOverdueBodyIsInterruptedAgainWhenTheLockIsLost() {
		CountDownLatch goOn = stopTimer();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(REQUEST.withOnLoss(LossPolicy.INTERRUPT), (lock) -> {
				goOn.countDown();
				Spin.until(Thread::interrupted);
				this.provider.onlyGrant().lose();
				assertThat(Thread.currentThread().isInterrupted()).isTrue();
			}));
	}

	@Test
	void theThreadOfTheTimerIsADaemon() {
		this.template.executeWithoutResult(REQUEST, (lock) -> awaitOverdue());
		assertThat(Thread.getAllStackTraces().keySet())
			.filteredOn((thread) -> thread.getName().equals("interlock-holds"))
			.hasSize(1)
			.allMatch(Thread::isDaemon);
	}

	private Duration awaitOverdue(CountDownLatch goOn) {
		goOn.countDown();
		return awaitOverdue();
	}

	private Duration awaitOverdue() {
		try {
			Duration held = this.overdue.poll(10, TimeUnit.SECONDS);
			assertThat(held).as("overdue hold").isNotNull();
			return held;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Keep the timer from looking at any hold, because one whose thread stands still is
	 * overdue before its body has begun, or ended.
	 * @return lets the timer go on
	 */
	private static CountDownLatch stopTimer() {
		CountDownLatch goOn = new CountDownLatch(1);
		LockTime.TIMER.submit(() -> goOn.await(10, TimeUnit.SECONDS));
		return goOn;
	}

	/**
	 * Wait until the timer has done everything that was due within a time.
	 */
	private static void awaitTimerAfter(Duration delay) {
		CountDownLatch passed = new CountDownLatch(1);
		LockTime.TIMER.schedule(passed::countDown, delay.toNanos(), TimeUnit.NANOSECONDS);
		Awaitility.await().until(() -> passed.getCount() == 0);
	}

}

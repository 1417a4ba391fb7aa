package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Spin;
import org.assertj.core.api.InstanceOfAssertFactories;
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

	private static final Duration MAX_HOLD = Duration.ofMinutes(5);

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").withMaxHold(MAX_HOLD);

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final BlockingQueue<Duration> overdue = new LinkedBlockingQueue<>();

	private final MovedTime time = new MovedTime();

	private final HeldLocks heldLocks = new HeldLocks(this.time);

	private final LockTemplate template = template(this.heldLocks);

	private LockTemplate template(HeldLocks heldLocks) {
		return new LockTemplate(this.provider, LockSettings.defaults(), heldLocks, List.of(new LockListener() {

			@Override
			public void onOverdue(LockHandle handle, Duration held) {
				LockTemplateMaxHoldTests.this.overdue.add(held);
			}

		}));
	}

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(Leftovers.takeInterrupt()).isFalse();
		assertThat(this.provider.openGrants()).isZero();
		assertThat(this.heldLocks.held()).isEmpty();
		// The log of losses ends by itself, long before a limit would.
		this.time.advance(Duration.ofMinutes(1));
		assertThat(this.time.pending()).isEmpty();
	}

	@Test
	@Proves(Promise.HOLDING_TOO_LONG)
	void anOverdueHoldIsTold() {
		this.template.executeWithoutResult(REQUEST, (lock) -> {
			pass(MAX_HOLD.minusNanos(1));
			assertThat(this.overdue).isEmpty();
			pass(Duration.ofNanos(1));
			assertThat(this.overdue).containsExactly(MAX_HOLD);
		});
	}

	@Test
	void anOverdueHoldIsToldOnce() {
		this.template.executeWithoutResult(REQUEST, (lock) -> {
			pass(MAX_HOLD.multipliedBy(3));
			assertThat(this.overdue).hasSize(1);
		});
	}

	@Test
	@Proves(Promise.HOLDING_TOO_LONG)
	void anOverdueHoldStaysHeld() {
		this.template.executeWithoutResult(REQUEST, (lock) -> {
			pass(MAX_HOLD);
			assertThat(this.overdue).hasSize(1);
			assertThat(lock.isValid()).isTrue();
			assertThat(this.provider.onlyGrant().isReleased()).isFalse();
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
		});
	}

	@Test
	@Proves(Promise.HOLDING_TOO_LONG)
	void theWarningNamesTheThreadAndItsStack(CapturedOutput output) {
		this.template.executeWithoutResult(REQUEST, (lock) -> pass(MAX_HOLD));
		assertThat(output).contains("WARN")
			.contains("Lock orders is held by thread '" + Thread.currentThread().getName() + "'")
			.contains("for PT5M, longer than its limit of PT5M")
			.contains("It is at\n\tat ")
			.contains(getClass().getName() + ".pass(");
	}

	@Test
	void theWarningNamesAThreadWithoutAName(CapturedOutput output) throws Exception {
		Thread holder = new Thread(() -> this.template.executeWithoutResult(REQUEST, (lock) -> pass(MAX_HOLD)), "");
		holder.start();
		holder.join(20_000);
		assertThat(output).contains("is held by thread 'unnamed #%d' for".formatted(holder.getId()));
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void theWarningShowsTheStackOfAVirtualThread(CapturedOutput output) throws Exception {
		Runnable body = () -> this.template.executeWithoutResult(REQUEST, (lock) -> pass(MAX_HOLD));
		Thread holder = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
		holder.join(20_000);
		assertThat(output).contains("is held by thread 'unnamed #%d' for".formatted(holder.getId()))
			.contains("It is at\n\tat ")
			.contains(getClass().getName() + ".pass(");
	}

	@Test
	void theWarningShowsNoStackOfAThreadThatHasEnded(CapturedOutput output) throws Exception {
		LockRequest request = LockRequest.exclusive("leaked").withMaxHold(MAX_HOLD);
		CompletableFuture<LockHandle> leaked = new CompletableFuture<>();
		Thread holder = new Thread(() -> leaked.complete(this.template.acquire(request)), "leaky");
		holder.start();
		holder.join(20_000);
		pass(MAX_HOLD);
		assertThat(output.toString().lines().filter((line) -> line.contains("Lock leaked is held by thread 'leaky'")))
			.singleElement(InstanceOfAssertFactories.STRING)
			.contains("longer than its limit of PT5M")
			.doesNotContain("It is at");
		leaked.join().close();
	}

	@Test
	void theStackIsTakenBeforeTheBodyIsInterrupted() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		List<String> calls = new CopyOnWriteArrayList<>();
		Thread holder = new Thread(
				() -> this.template.executeWithoutResult(REQUEST.withOnLoss(LossPolicy.INTERRUPT), (lock) -> {
					begun.countDown();
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
		assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
		pass(MAX_HOLD);
		holder.join(20_000);
		assertThat(calls).containsExactly("stack", "interrupt");
	}

	@Test
	@Proves(Promise.HOLDING_TOO_LONG)
	void theLimitOfAJoinedHoldCounts(CapturedOutput output) {
		LockRequest patient = REQUEST.withMaxHold(MAX_HOLD.multipliedBy(2));
		this.template.executeWithoutResult(patient,
				(outer) -> this.template.executeWithoutResult(REQUEST, (inner) -> pass(MAX_HOLD)));
		assertThat(this.overdue).containsExactly(MAX_HOLD);
		assertThat(output).contains("longer than its limit of PT5M");
	}

	@Test
	void theLimitOfAJoinedHoldCountsWhereTheFirstRequestHasNone() {
		this.template.executeWithoutResult(LockRequest.exclusive("orders"),
				(outer) -> this.template.executeWithoutResult(REQUEST, (inner) -> pass(MAX_HOLD)));
		assertThat(this.overdue).hasSize(1);
	}

	@Test
	void theShortestOfAllLimitsIsToldOnce() {
		LockRequest longer = REQUEST.withMaxHold(MAX_HOLD.plusMillis(1));
		this.template.executeWithoutResult(longer,
				(outer) -> this.template.executeWithoutResult(REQUEST, (inner) -> pass(MAX_HOLD.multipliedBy(3))));
		assertThat(this.overdue).containsExactly(MAX_HOLD);
	}

	@Test
	void aJoinedHoldThatEndsInTimeIsNotTold() {
		this.template.executeWithoutResult(LockRequest.exclusive("orders"), (outer) -> {
			this.template.acquire(REQUEST).close();
			pass(MAX_HOLD.multipliedBy(2));
			assertThat(this.overdue).isEmpty();
		});
	}

	@Test
	void anOverdueInnerBodyIsInterruptedWhenItsPolicyIsInterrupt() {
		this.template.executeWithoutResult(LockRequest.exclusive("orders"), (outer) -> {
			assertThatExceptionOfType(InterruptedException.class)
				.isThrownBy(() -> this.template.execute(REQUEST.withOnLoss(LossPolicy.INTERRUPT), (inner) -> {
					pass(MAX_HOLD);
					return new CountDownLatch(1).await(20, TimeUnit.SECONDS);
				}));
			assertThat(outer.isValid()).isTrue();
		});
	}

	@Test
	void aHoldThatEndsInTimeIsNotTold(CapturedOutput output) {
		this.template.acquire(REQUEST).close();
		pass(MAX_HOLD.multipliedBy(2));
		assertThat(this.overdue).isEmpty();
		assertThat(output).doesNotContain("longer than");
	}

	@Test
	void aHoldWithoutALimitIsNotTold() {
		this.template.executeWithoutResult(LockRequest.exclusive("orders"), (lock) -> {
			pass(Duration.ofDays(1));
			assertThat(this.overdue).isEmpty();
		});
	}

	@Test
	@Proves(Promise.HOLDING_TOO_LONG)
	void anOverdueBodyIsInterruptedWhenItsPolicyIsInterrupt() {
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.template.execute(REQUEST.withOnLoss(LossPolicy.INTERRUPT), (lock) -> {
				pass(MAX_HOLD);
				return new CountDownLatch(1).await(20, TimeUnit.SECONDS);
			}))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
	}

	@Test
	void theFirstBodyIsInterruptedIfTheHoldIsOverdueBeforeItBegins() {
		LockRequest request = REQUEST.withOnLoss(LossPolicy.INTERRUPT);
		LockGrant grant = this.provider.attempt(request, LockCaller.current()).outcome().join().orElseThrow();
		CountDownLatch told = new CountDownLatch(1);
		TemplateParts parts = new TemplateParts(this.provider, LockSettings.defaults(), this.heldLocks,
				new LockListeners(List.of(new LockListener() {
					@Override
					public void onOverdue(LockHandle handle, Duration held) {
						told.countDown();
					}
				})), (body) -> body);
		Hold hold = parts.hold(new BlockingAcquisition(request, parts), grant,
				new Holder(Thread.currentThread(), LockContext.handlesOfThisThread(), null));
		pass(MAX_HOLD);
		assertThat(told.getCount()).isZero();
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
			pass(MAX_HOLD);
			this.template.executeWithoutResult(REQUEST.withOnLoss(LossPolicy.INTERRUPT), (inner) -> {
				pass(MAX_HOLD);
				assertThat(Thread.interrupted()).isTrue();
			});
			assertThat(this.overdue).as("told once").hasSize(1);
		});
	}

	@Test
	void anOverdueBodyIsInterruptedAgainWhenTheLockIsLost() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(REQUEST.withOnLoss(LossPolicy.INTERRUPT), (lock) -> {
				pass(MAX_HOLD);
				assertThat(Thread.interrupted()).isTrue();
				this.provider.onlyGrant().lose();
				assertThat(Thread.currentThread().isInterrupted()).isTrue();
			}));
	}

	@Test
	void anOverdueHoldIsToldByTheTimeOfTheSystem() throws Exception {
		Duration maxHold = Duration.ofMillis(20);
		template(new HeldLocks()).executeWithoutResult(REQUEST.withMaxHold(maxHold),
				(lock) -> assertThat(this.overdue.poll(10, TimeUnit.SECONDS)).isGreaterThan(maxHold));
	}

	@Test
	void theThreadOfTheTimerIsADaemon() throws Exception {
		assertThat(AsyncThreads.TIMER.getCorePoolSize()).isOne();
		assertThat(AsyncThreads.TIMER.submit(Thread::currentThread).get()).matches(Thread::isDaemon, "is a daemon")
			.extracting(Thread::getName)
			.isEqualTo("interlock-timer");
	}

	/**
	 * Let time pass on another thread, as with the timer. The calling thread waits for
	 * it, and notices an interrupt afterwards only.
	 */
	private void pass(Duration time) {
		CompletableFuture.runAsync(() -> this.time.advance(time), (task) -> new Thread(task, "timer").start()).join();
	}

}

package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockInterruptedException;
import io.interlock.LockListener;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.LossPolicy;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for grants whose connection is suspended when their caller wakes up to them.
 */
@Timeout(30)
class LockTemplateSuspendedGrantTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders")
		.withKey(42)
		.withWaitTime(LockRequest.FOREVER);

	private final ScriptedLockProvider provider = new ScriptedLockProvider().answers((attempt) -> {
		attempt.granted().suspend();
		attempt.grant();
	});

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks,
			List.of());

	private final AtomicBoolean ran = new AtomicBoolean();

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(this.provider.openGrants()).isZero();
		assertThat(this.heldLocks.held()).isEmpty();
		assertThat(this.heldLocks.waiting()).isEmpty();
	}

	private Background<Boolean> waiter() {
		return Background.start(() -> this.template.execute(REQUEST, (lock) -> {
			this.ran.set(true);
			return lock.isValid();
		}));
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_CONNECTION_IS_SUSPENDED)
	void callerWaitsForTheConnectionAndKeepsItsPlace() throws Exception {
		Background<Boolean> waiter = waiter();
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		assertThat(attempt.granted().isReleased()).isFalse();
		assertThat(this.heldLocks.waiting()).hasSize(1);
		assertThat(this.ran).isFalse();
		attempt.granted().resume();
		assertThat(waiter.join()).isTrue();
		assertThat(this.provider.attempts()).hasSize(1);
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_CONNECTION_IS_SUSPENDED)
	void bodyNeverStartsWhenTheConnectionStaysSuspendedForTheWholeWaitTime() {
		Duration waitTime = Duration.ofMillis(50);
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(
				() -> this.template.executeWithoutResult(REQUEST.withWaitTime(waitTime), (lock) -> this.ran.set(true)))
			.satisfies((ex) -> assertThat(ex.waited()).isBetween(waitTime, Duration.ofSeconds(5)));
		assertThat(this.ran).isFalse();
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void triesAreBoundedByTheirOwnTimeout() {
		LockTemplate brief = new LockTemplate(this.provider,
				new LockSettings(Duration.ofMinutes(1), Map.of(), Duration.ofMillis(40)), this.heldLocks, List.of());
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> brief.tryAcquire(REQUEST.withWaitTime(Duration.ZERO)));
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void callerAsksAgainInFrontWhenTheSessionIsLost() throws Exception {
		Background<Boolean> waiter = waiter();
		ScriptedAttempt first = this.provider.awaitAttempt();
		this.provider.answers(ScriptedAttempt::grant);
		first.granted().noticeLoss();
		assertThat(waiter.join()).isTrue();
		assertThat(first.granted().releases()).isEqualTo(1);
		assertThat(this.provider.awaitAttempt().owner().retries()).isTrue();
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_CONNECTION_IS_SUSPENDED)
	void innerBodyWaitsForTheConnectionToo() throws Exception {
		CountDownLatch suspended = new CountDownLatch(1);
		this.provider.answers(ScriptedAttempt::grant);
		Background<Boolean> holder = Background.start(() -> this.template.execute(REQUEST, (outer) -> {
			this.provider.onlyGrant().suspend();
			suspended.countDown();
			return this.template.execute(REQUEST, (inner) -> {
				this.ran.set(true);
				return inner.isValid();
			});
		}));
		assertThat(suspended.await(10, TimeUnit.SECONDS)).isTrue();
		CountDownLatch looked = new CountDownLatch(10);
		this.provider.onlyGrant().whenLookedAt(looked::countDown);
		assertThat(looked.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(this.ran).isFalse();
		this.provider.onlyGrant().resume();
		assertThat(holder.join()).isTrue();
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_CONNECTION_IS_SUSPENDED)
	void innerBodyNeverStartsWhenTheConnectionStaysSuspendedForTheWholeWaitTime() {
		Duration waitTime = Duration.ofMillis(50);
		this.provider.answers(ScriptedAttempt::grant);
		try (LockHandle outer = this.template.acquire(REQUEST)) {
			this.provider.onlyGrant().suspend();
			assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> this.template.executeWithoutResult(REQUEST.withWaitTime(waitTime),
						(lock) -> this.ran.set(true)))
				.satisfies((ex) -> assertThat(ex.waited()).isBetween(waitTime, Duration.ofSeconds(5)));
			assertThat(this.ran).isFalse();
			assertThat(LockContext.held()).containsExactly(outer);
			this.provider.onlyGrant().resume();
			assertThat(outer.isValid()).isTrue();
		}
	}

	@Test
	void lossThatInterruptsTheOuterBodyIsToldToTheInnerOne() throws Exception {
		CountDownLatch suspended = new CountDownLatch(1);
		this.provider.answers(ScriptedAttempt::grant);
		Background<Boolean> holder = Background
			.start(() -> this.template.execute(REQUEST.withOnLoss(LossPolicy.INTERRUPT), (outer) -> {
				this.provider.onlyGrant().suspend();
				suspended.countDown();
				return this.template.execute(REQUEST, (inner) -> true);
			}));
		assertThat(suspended.await(10, TimeUnit.SECONDS)).isTrue();
		this.provider.onlyGrant().lose();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(holder::join);
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_CONNECTION_IS_SUSPENDED)
	void bodyOfAGroupWaitsUntilAllItsLocksAreValid() throws Exception {
		this.provider.answersNothing();
		LockRequest second = LockRequest.exclusive("payments").withWaitTime(LockRequest.FOREVER);
		Background<Boolean> group = Background
			.start(() -> this.template.executeAll(List.of(REQUEST, second), (locks) -> {
				this.ran.set(true);
				return locks.isValid();
			}));
		ScriptedAttempt early = this.provider.awaitAttempt();
		ScriptedAttempt late = this.provider.awaitAttempt();
		early.grant();
		await().untilAsserted(() -> assertThat(this.heldLocks.held()).hasSize(1));
		early.granted().suspend();
		CountDownLatch looked = new CountDownLatch(10);
		early.granted().whenLookedAt(looked::countDown);
		late.grant();
		assertThat(looked.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(this.ran).isFalse();
		early.granted().resume();
		assertThat(group.join()).isTrue();
	}

	@Test
	void groupEndsItsWaitAtItsDeadline() {
		Duration waitTime = Duration.ofMillis(50);
		LockRequest second = LockRequest.exclusive("payments").withWaitTime(waitTime);
		LockTemplate template = suspendedWhileListenersAreTold();
		long startedAt = System.nanoTime();
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> template.executeAll(List.of(REQUEST, second), (locks) -> {
				this.ran.set(true);
				return true;
			}))
			.satisfies((ex) -> assertThat(ex.waited()).isLessThan(Duration.ofSeconds(5)));
		assertThat(System.nanoTime() - startedAt).isGreaterThan(waitTime.toNanos());
		assertThat(this.ran).isFalse();
	}

	@Test
	void lockIsNotKeptForARunThatThereWasNot() {
		LockRequest request = REQUEST.withWaitTime(Duration.ofMillis(20)).withMinHold(Duration.ofMinutes(10));
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> suspendedWhileListenersAreTold().acquire(request));
		assertThat(this.heldLocks.held()).isEmpty();
		assertThat(this.provider.openGrants()).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_CONNECTION_IS_SUSPENDED)
	void bodyWaitsIfTheConnectionIsSuspendedWhileListenersAreTold(boolean resumes) throws Exception {
		Background<Boolean> waiter = Background
			.start(() -> suspendedWhileListenersAreTold().execute(request(resumes), (lock) -> {
				this.ran.set(true);
				return lock.isValid();
			}));
		checkBody(resumes, waiter::join);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_CONNECTION_IS_SUSPENDED)
	void asynchronousBodyWaitsIfTheConnectionIsSuspendedWhileListenersAreTold(boolean resumes) throws Exception {
		CompletableFuture<Boolean> result = suspendedWhileListenersAreTold().executeAsync(request(resumes), (lock) -> {
			this.ran.set(true);
			return CompletableFuture.completedFuture(lock.isValid());
		});
		checkBody(resumes, () -> {
			try {
				return result.get(10, TimeUnit.SECONDS);
			}
			catch (ExecutionException ex) {
				throw (ex.getCause() instanceof LockException cause) ? cause : ex;
			}
		});
	}

	@Test
	void cancellingEndsTheWaitOfAnAsynchronousBody() {
		CompletableFuture<LockHandle> result = suspendedWhileListenersAreTold().acquireAsync(request(true));
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		await().untilAsserted(() -> assertThat(attempt.granted().state() == LockState.VALID).isFalse());
		result.cancel(false);
		await().untilAsserted(() -> assertThat(attempt.granted().isReleased()).isTrue());
		await().untilAsserted(() -> assertThat(this.heldLocks.held()).isEmpty());
	}

	private LockTemplate suspendedWhileListenersAreTold() {
		this.provider.answers(ScriptedAttempt::grant);
		return new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks, List.of(new LockListener() {

			@Override
			public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
				LockTemplateSuspendedGrantTests.this.provider.attempts().get(0).granted().suspend();
			}

		}));
	}

	private static LockRequest request(boolean resumes) {
		return resumes ? REQUEST : REQUEST.withWaitTime(Duration.ofMillis(50));
	}

	private void checkBody(boolean resumes, Callable<Boolean> result) throws Exception {
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		await().untilAsserted(() -> assertThat(attempt.granted().state() == LockState.VALID).isFalse());
		if (resumes) {
			CountDownLatch looked = new CountDownLatch(10);
			attempt.granted().whenLookedAt(looked::countDown);
			assertThat(looked.await(10, TimeUnit.SECONDS)).isTrue();
			assertThat(this.ran).isFalse();
			attempt.granted().resume();
			assertThat(result.call()).isTrue();
		}
		else {
			assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(result::call);
			assertThat(this.ran).isFalse();
		}
	}

	@Test
	void interruptEndsTheWait() throws Exception {
		Background<Boolean> waiter = Background.start(() -> {
			assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> this.template.acquire(REQUEST));
			return Thread.currentThread().isInterrupted();
		});
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		waiter.interrupt();
		assertThat(waiter.join()).as("flag").isTrue();
		assertThat(attempt.granted().releases()).isEqualTo(1);
	}

	@Test
	void stopEndsTheWait() {
		Background<LockHandle> waiter = Background.start(() -> this.template.acquire(REQUEST));
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		this.heldLocks.stop();
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(waiter::join)
			.withMessageContaining("shutting down");
		assertThat(attempt.granted().releases()).isEqualTo(1);
	}

}

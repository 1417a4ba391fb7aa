package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockHandle;
import io.interlock.LockInterruptedException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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

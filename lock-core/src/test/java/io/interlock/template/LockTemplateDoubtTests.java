package io.interlock.template;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LossPolicy;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for bodies that end while it is not known whether their lock is still held.
 */
@Timeout(30)
class LockTemplateDoubtTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders");

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final LockTemplate template = new LockTemplate(this.provider);

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(Leftovers.takeInterrupt()).as("stray interrupt flag").isFalse();
		assertThat(this.provider.openGrants()).isZero();
	}

	private ScriptedGrant grant() {
		return this.provider.onlyGrant();
	}

	private String suspended(Runnable whenVerified) {
		grant().suspend();
		grant().whenVerified(whenVerified);
		return "done";
	}

	private void noAnswer() {
		throw new LockServiceUnavailableException("silent", REQUEST.id(), Duration.ZERO, null);
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_CONNECTION_IS_SUSPENDED)
	void resultStandsWhenTheServersConfirmTheLock() {
		String result = this.template.execute(REQUEST, (lock) -> suspended(() -> {
		}));
		assertThat(result).isEqualTo("done");
		assertThat(grant().verifications()).isEqualTo(1);
	}

	@Test
	void lossThatTheServersTellReplacesTheResult() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute(REQUEST, (lock) -> suspended(() -> {
				grant().noticeLoss();
				grant().verify();
			})))
			.withMessageContaining("was lost while it was held");
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_SERVERS_ARE_SILENT)
	void silenceOfTheServersReplacesTheResult() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute(REQUEST, (lock) -> suspended(this::noAnswer)))
			.withMessageContaining("orders")
			.withMessageContaining("token 101")
			.withMessageContaining("not known")
			.withCauseInstanceOf(LockServiceUnavailableException.class);
		assertThat(grant().releases()).isEqualTo(1);
	}

	@Test
	void silenceOfTheServersReplacesTheOutcome() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.tryExecute(REQUEST, (lock) -> suspended(this::noAnswer)));
	}

	@Test
	void questionThatFailsOtherwiseReplacesTheResultToo() {
		IllegalStateException failure = new IllegalStateException("the client is closed");
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.execute(REQUEST, (lock) -> suspended(() -> {
				throw failure;
			})))
			.withMessageContaining("not known")
			.withCause(failure);
		assertThat(grant().releases()).isEqualTo(1);
	}

	@Test
	void questionThatFailsEndsAllLocksOfAGroup() {
		IllegalStateException failure = new IllegalStateException("the client is closed");
		List<LockRequest> requests = List.of(REQUEST, LockRequest.exclusive("accounts"));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.template.executeAll(requests, (locks) -> {
				this.provider.attempts().forEach((attempt) -> {
					attempt.granted().suspend();
					attempt.granted().whenVerified(() -> {
						throw failure;
					});
				});
				return "done";
			}))
			.withCause(failure);
		assertThat(this.provider.attempts()).hasSize(2);
		assertThat(this.provider.openGrants()).isZero();
	}

	@Test
	void innerBodyIsJudgedToo() {
		this.template.executeWithoutResult(REQUEST.withOnLoss(LossPolicy.SIGNAL),
				(outer) -> assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> this.template.execute(REQUEST, (inner) -> suspended(this::noAnswer))));
	}

	@Test
	void noServerIsAskedAboutABodyThatThrew() {
		IOException failure = new IOException("disk full");
		AtomicInteger asked = new AtomicInteger();
		assertThatThrownBy(() -> this.template.execute(REQUEST, (lock) -> {
			suspended(asked::incrementAndGet);
			throw failure;
		})).isSameAs(failure).hasNoSuppressedExceptions();
		assertThat(asked).hasValue(0);
	}

	@Test
	void noServerIsAskedWhileTheLeaseCoversTheLock() {
		String result = this.template.execute(REQUEST, (lock) -> {
			grant().suspendCovered();
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(grant().verifications()).isZero();
	}

	@Test
	void signalAsksNoServerAndDisturbsNoCaller() {
		String result = this.template.execute(REQUEST.withOnLoss(LossPolicy.SIGNAL),
				(lock) -> suspended(this::noAnswer));
		assertThat(result).isEqualTo("done");
		assertThat(grant().verifications()).isZero();
	}

	@Test
	void handleOfItsOwnIsClosedWithoutAsking() {
		LockHandle handle = this.template.acquire(REQUEST);
		suspended(this::noAnswer);
		handle.close();
		assertThat(grant().verifications()).isZero();
	}

	@Test
	void interruptNeitherEndsTheQuestionNorIsLost() {
		String result = this.template.execute(REQUEST, (lock) -> {
			Thread.currentThread().interrupt();
			return suspended(() -> assertThat(Thread.currentThread().isInterrupted()).isFalse());
		});
		assertThat(result).isEqualTo("done");
		assertThat(Leftovers.takeInterrupt()).as("flag").isTrue();
	}

}

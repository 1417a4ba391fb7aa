package io.interlock.template;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for what {@link LockTemplate} does with the code that it runs.
 */
class LockTemplateCallbackTests {

	private final LockRequest request = LockRequest.exclusive("orders");

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final LockOperations template = new LockTemplate(this.provider);

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
		assertThat(this.provider.openGrants()).isZero();
	}

	@Test
	void executeReturnsTheResult() {
		String result = this.template.execute(this.request, (lock) -> "done");
		assertThat(result).isEqualTo("done");
	}

	@Test
	void executeReturnsNull() {
		String result = this.template.<@Nullable String, RuntimeException>execute(this.request, (lock) -> null);
		assertThat(result).isNull();
	}

	@Test
	void theLockIsHeldInTheBodyAndReleasedAfterIt() {
		boolean valid = this.template.execute(this.request, LockHandle::isValid);
		assertThat(valid).isTrue();
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void aCheckedExceptionReachesTheCallerAsItIs() {
		IOException failure = new IOException("disk full");
		assertThatThrownBy(() -> this.template.execute(this.request, (lock) -> {
			throw failure;
		})).isSameAs(failure).hasNoSuppressedExceptions();
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void anErrorReachesTheCallerAsItIs() {
		StackOverflowError failure = new StackOverflowError();
		assertThatThrownBy(() -> this.template.executeWithoutResult(this.request, (lock) -> {
			throw failure;
		})).isSameAs(failure);
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void theCompilerInfersWhatABodyThrows() throws Exception {
		// Compiles only if execute throws IOException for this body, and nothing else.
		assertThatExceptionOfType(IOException.class).isThrownBy(this::readUnderLock);
		Method method = LockTemplateCallbackTests.class.getDeclaredMethod("readUnderLock");
		assertThat(method.getExceptionTypes()).containsExactly(IOException.class);
	}

	private int readUnderLock() throws IOException {
		int read = this.template.execute(this.request, (lock) -> read());
		this.template.executeWithoutResult(this.request, (lock) -> read());
		return read + this.template.tryExecute(this.request, (lock) -> read()).orElse(0);
	}

	private int read() throws IOException {
		throw new IOException("disk full");
	}

	@Test
	void theCompilerAsksForNothingWhenABodyThrowsNothing() {
		// Compiles only if E is inferred as RuntimeException.
		this.template.executeWithoutResult(this.request, LockHandle::verify);
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void tryExecuteReturnsTheResult() {
		LockOutcome<String> outcome = this.template.tryExecute(this.request, (lock) -> "done");
		assertThat(outcome.acquired()).isTrue();
		assertThat(outcome.value()).isEqualTo("done");
	}

	@Test
	void tryExecuteDoesNotRunTheBodyWithoutTheLock() {
		this.provider.answers(ScriptedAttempt::deny);
		LockOutcome<String> outcome = this.template.tryExecute(this.request, (lock) -> {
			throw new AssertionError("The body ran");
		});
		assertThat(outcome.acquired()).isFalse();
	}

	@Test
	void tryExecuteTellsAResultOfNullFromNoResult() {
		LockOutcome<@Nullable String> outcome = this.template
			.<@Nullable String, RuntimeException>tryExecute(this.request, (lock) -> null);
		assertThat(outcome.acquired()).isTrue();
		assertThat(outcome.value()).isNull();
	}

	@Test
	void tryExecuteLetsACheckedExceptionThrough() {
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.template.tryExecute(this.request, (lock) -> read()));
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void executeDoesNotRunTheBodyWithoutTheLock() {
		this.provider.answers(ScriptedAttempt::deny);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.executeWithoutResult(this.request, (lock) -> {
				throw new AssertionError("The body ran");
			}));
	}

	@Test
	void aNotAcquiredExceptionOfTheBodyIsTheBodysOwn() {
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.tryExecute(this.request, (lock) -> {
				this.provider.answers(ScriptedAttempt::deny);
				return this.template.acquire(LockRequest.exclusive("stock"));
			}))
			.satisfies((ex) -> assertThat(ex.lockId().name()).isEqualTo("stock"));
	}

	@Test
	void acquireGoesIntoATryWithResourcesStatement() {
		try (LockHandle lock = this.template.acquire(this.request)) {
			assertThat(lock.isValid()).isTrue();
		}
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void tryAcquireHasTheHold() {
		Optional<LockHandle> handle = this.template.tryAcquire(this.request);
		assertThat(handle).get().extracting(LockHandle::isValid).isEqualTo(true);
		handle.ifPresent(LockHandle::close);
	}

	@Test
	void aBodyMayCloseItsHandle() {
		this.template.executeWithoutResult(this.request, LockHandle::close);
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	void aBodyMayHandOverItsHandle() throws Exception {
		LockHandle kept = this.template.acquire(this.request);
		Background.run(() -> {
			assertThat(kept.isValid()).isTrue();
			kept.close();
		});
		assertThat(this.provider.onlyGrant().releases()).isEqualTo(1);
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.THE_RELEASE_FAILS)
	void aFailingReleaseDoesNotReplaceTheResult() {
		this.provider.answers((attempt) -> {
			attempt.granted().whenReleased(LockTemplateCallbackTests::fail);
			attempt.grant();
		});
		String result = this.template.execute(this.request, (lock) -> "done");
		assertThat(result).isEqualTo("done");
	}

	@Test
	void aFailingReleaseDoesNotReplaceTheExceptionOfTheBody() {
		this.provider.answers((attempt) -> {
			attempt.granted().whenReleased(LockTemplateCallbackTests::fail);
			attempt.grant();
		});
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> this.template.execute(this.request, (lock) -> read()));
	}

	@Test
	void aHoldThatCannotBeObservedIsNotLeaked() {
		LockTemplate broken = new LockTemplate(this.provider, LockSettings.defaults(), new HeldLocks(), List.of());
		this.provider.answers((attempt) -> {
			attempt.granted().refuseListeners();
			attempt.grant();
		});
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> broken.acquire(this.request));
	}

	@Test
	@SuppressWarnings("NullAway")
	void aMissingActionIsRefusedBeforeTheLockIsAcquired() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.execute(this.request, null))
			.withMessage("'action' must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.tryExecute(this.request, null))
			.withMessage("'action' must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.executeWithoutResult(this.request, null))
			.withMessage("'action' must not be null");
		assertThat(this.provider.attempts()).isEmpty();
	}

	@Test
	@SuppressWarnings("NullAway")
	void aMissingRequestIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.acquire(null))
			.withMessage("'request' must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.tryAcquire(null))
			.withMessage("'request' must not be null");
	}

	@Test
	@SuppressWarnings("NullAway")
	void whatATemplateNeedsIsNotNull() {
		assertThatIllegalArgumentException().isThrownBy(() -> new LockTemplate(null))
			.withMessage("'provider' must not be null");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new LockTemplate(this.provider, null, new HeldLocks(), List.of()))
			.withMessage("'settings' must not be null");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new LockTemplate(this.provider, LockSettings.defaults(), null, List.of()))
			.withMessage("'heldLocks' must not be null");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new LockTemplate(this.provider, LockSettings.defaults(), new HeldLocks(), null))
			.withMessage("'listeners' must not be null");
	}

	private static void fail() {
		throw new IllegalStateException("provider bug");
	}

}

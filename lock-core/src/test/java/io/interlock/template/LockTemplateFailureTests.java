package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.interlock.LockException;
import io.interlock.LockListener;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockGrant;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedLockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.timeout;

/**
 * Tests for {@link LockTemplate} with a provider that fails.
 */
class LockTemplateFailureTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders")
		.withKey(42)
		.withWaitTime(Duration.ofMillis(10));

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final LockTemplate template = new LockTemplate(this.provider);

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(Leftovers.takeHandles()).isEmpty();
	}

	@Test
	void aProviderThatDoesNotDecideIsNotWaitedFor() {
		CompletableFuture<Optional<LockGrant>> outcome = new CompletableFuture<>();
		LockAttempt attempt = mock();
		given(attempt.outcome()).willReturn(outcome);
		given(attempt.phase()).willReturn(Phase.QUEUED);
		LockTemplate template = new LockTemplate((request, owner) -> attempt);
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(() -> template.acquire(REQUEST))
			.withMessageStartingWith("The lock provider did not end the attempt for lock orders[42]");
		LockGrant late = mock();
		outcome.complete(Optional.of(late));
		then(late).should().release();
	}

	@Test
	void aProviderThatDoesNotDecideIsNotWaitedForByAFuture() {
		CompletableFuture<Optional<LockGrant>> outcome = new CompletableFuture<>();
		LockAttempt attempt = mock();
		given(attempt.outcome()).willReturn(outcome);
		given(attempt.phase()).willReturn(Phase.QUEUED);
		LockTemplate template = new LockTemplate((request, owner) -> attempt);
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> template.acquireAsync(REQUEST).get(10, TimeUnit.SECONDS))
			.havingCause()
			.isInstanceOf(LockServiceUnavailableException.class)
			.withMessageStartingWith("The lock provider did not end the attempt for lock orders[42]");
		LockGrant late = mock();
		outcome.complete(Optional.of(late));
		then(late).should(timeout(10_000)).release();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anAttemptWithoutAnOutcomeFails(boolean waits) {
		LockListener listener = mock();
		LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), new HeldLocks(),
				List.of(listener));
		this.provider.answers((attempt) -> attempt.outcome().complete(null));
		assertThat(catchThrowable(() -> {
			if (waits) {
				template.acquire(REQUEST);
			}
			else {
				template.acquireAsync(REQUEST).get(10, TimeUnit.SECONDS);
			}
		})).satisfiesAnyOf((ex) -> assertThat(ex).isInstanceOf(LockException.class),
				(ex) -> assertThat(ex).hasCauseInstanceOf(LockException.class))
			.hasMessageContaining("completed its attempt without an outcome");
		then(listener).should().onFailure(any(), any());
	}

	@ParameterizedTest
	@EnumSource
	void anUnknownFailureCarriesItsCause(How how) {
		IllegalStateException failure = new IllegalStateException("broken");
		this.provider.answers((attempt) -> how.fail(attempt, failure));
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.template.acquire(REQUEST))
			.withMessage("Acquiring lock orders[42] failed: java.lang.IllegalStateException: broken")
			.withCause(failure)
			.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(REQUEST.id()));
	}

	@ParameterizedTest
	@EnumSource
	void anOutageStaysAnOutageWithTheWaitFilledIn(How how) {
		LockServiceUnavailableException failure = new LockServiceUnavailableException("Wrong credentials", REQUEST.id(),
				Duration.ZERO, new IllegalStateException());
		this.provider.answers((attempt) -> how.fail(attempt, failure));
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.template.acquire(REQUEST))
			.withMessage("Wrong credentials")
			.withCause(failure)
			.satisfies((ex) -> assertThat(ex.waited()).isPositive());
	}

	@ParameterizedTest
	@EnumSource
	void anOutageIsNoEmptyAnswer(How how) {
		LockServiceUnavailableException failure = new LockServiceUnavailableException("Wrong credentials", REQUEST.id(),
				Duration.ZERO, null);
		this.provider.answers((attempt) -> how.fail(attempt, failure));
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.template.tryAcquire(REQUEST));
	}

	@ParameterizedTest
	@EnumSource
	void anotherLockExceptionKeepsItsWords(How how) {
		LockException failure = new LockException("Node data is damaged", REQUEST.id(), Duration.ZERO, null);
		this.provider.answers((attempt) -> how.fail(attempt, failure));
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.template.acquire(REQUEST))
			.withMessage("Node data is damaged")
			.withCause(failure)
			.satisfies((ex) -> assertThat(ex.waited()).isPositive());
	}

	@ParameterizedTest
	@EnumSource
	void contentionThatIsThrownIsAFailure(How how) {
		LockNotAcquiredException failure = new LockNotAcquiredException("Held by pod 7", REQUEST.id(), Duration.ZERO,
				"pod 7");
		this.provider.answers((attempt) -> how.fail(attempt, failure));
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.template.tryAcquire(REQUEST))
			.isNotInstanceOf(LockNotAcquiredException.class)
			.withMessage("Held by pod 7")
			.withCause(failure);
	}

	@Test
	void anErrorOfTheProviderIsWrapped() {
		NoClassDefFoundError failure = new NoClassDefFoundError("org/Missing");
		this.provider.answers((attempt) -> attempt.fail(failure));
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.template.acquire(REQUEST))
			.withCause(failure);
	}

	@Test
	void anErrorInPlaceOfAnAttemptIsToldToListeners() {
		NoClassDefFoundError failure = new NoClassDefFoundError("org/Missing");
		LockListener listener = mock();
		LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), new HeldLocks(),
				List.of(listener));
		this.provider.answers((attempt) -> {
			throw failure;
		});
		assertThatThrownBy(() -> template.acquire(REQUEST)).isSameAs(failure);
		then(listener).should().onFailure(any(), any());
	}

	@Test
	void anAttemptThatSomebodyElseCancelledFails() {
		this.provider.answers((attempt) -> attempt.outcome().cancel(false));
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.template.acquire(REQUEST))
			.withCauseInstanceOf(CancellationException.class)
			.withMessageContaining("orders[42]");
	}

	@Test
	void aCompletionExceptionIsUnwrapped() {
		IllegalStateException failure = new IllegalStateException("broken");
		this.provider.answers((attempt) -> attempt.fail(new CompletionException(failure)));
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.template.acquire(REQUEST))
			.withCause(failure);
	}

	/**
	 * How a provider fails.
	 */
	enum How {

		THROWS {

			@Override
			void fail(ScriptedAttempt attempt, RuntimeException failure) {
				throw failure;
			}

		},

		COMPLETES {

			@Override
			void fail(ScriptedAttempt attempt, RuntimeException failure) {
				attempt.fail(failure);
			}

		},

		COMPLETES_AT_THE_DEADLINE {

			@Override
			void fail(ScriptedAttempt attempt, RuntimeException failure) {
				attempt.whenAbandoned(() -> attempt.fail(failure));
			}

		};

		abstract void fail(ScriptedAttempt attempt, RuntimeException failure);

	}

}

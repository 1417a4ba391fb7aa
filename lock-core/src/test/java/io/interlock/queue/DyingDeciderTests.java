package io.interlock.queue;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.interlock.queue.QueueUnderTest.READER;
import static io.interlock.queue.QueueUnderTest.WRITER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;

/**
 * Tests for a thread that dies of an {@link Error} between a decision and its news: all
 * callers get their answers all the same.
 */
@Timeout(30)
class DyingDeciderTests {

	private final InMemoryLockProvider locks = new InMemoryLockProvider();

	@Test
	void nextWaiterIsServedIfCancellingTheContenderFails() {
		QueueingLockProvider queue = queue((request, owner) -> {
			LockAttempt attempt = this.locks.attempt(request, owner);
			return (request.mode() == LockMode.SHARED) ? new DelegatingAttempt(attempt, attempt.outcome(), () -> {
				attempt.abandon();
				throw new OutOfMemoryError("for this test");
			}) : attempt;
		});
		LockGrant elsewhere = this.locks.attempt(WRITER, LockCaller.current()).outcome().join().orElseThrow();
		LockAttempt reader = queue.attempt(READER, LockCaller.current());
		LockAttempt writer = queue.attempt(WRITER, LockCaller.current());
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(reader::abandon);
		assertThat(reader.outcome()).isCancelled();
		elsewhere.release();
		assertThat(writer.outcome()).succeedsWithin(Duration.ofSeconds(5))
			.extracting(Optional::isPresent)
			.isEqualTo(true);
	}

	@Test
	void tryIsDecidedIfItsGrantCannotBeTakenOver() {
		QueueingLockProvider queue = queue((request, owner) -> {
			LockAttempt attempt = this.locks.attempt(request, owner);
			return new DelegatingAttempt(attempt,
					attempt.outcome().thenApply((grant) -> grant.map(DyingDeciderTests::withoutListeners)),
					attempt::abandon);
		});
		LockRequest once = WRITER.withWaitTime(Duration.ZERO);
		LockAttempt attempt = queue.attempt(once, LockCaller.current());
		assertThat(attempt.outcome()).failsWithin(Duration.ofSeconds(5))
			.withThrowableThat()
			.withCauseInstanceOf(OutOfMemoryError.class);
		attempt.abandon();
		assertThat(this.locks.attempt(once, LockCaller.current()).outcome().join()).isPresent();
	}

	@Test
	void abandonedTryIsDecidedIfTheProviderNeverDecides() {
		CompletableFuture<Optional<LockGrant>> answer = new CompletableFuture<>();
		LockRequest once = WRITER.withWaitTime(Duration.ZERO);
		LockAttempt granted = this.locks.attempt(once, LockCaller.current());
		QueueingLockProvider queue = queue((request, owner) -> new DelegatingAttempt(granted, answer, () -> {
		}));
		LockAttempt attempt = queue.attempt(once, LockCaller.current());
		attempt.abandon();
		assertThat(attempt.outcome()).isCancelled();
		answer.complete(granted.outcome().join());
		assertThat(this.locks.attempt(once, LockCaller.current()).outcome().join()).isPresent();
	}

	private static QueueingLockProvider queue(LockProvider provider) {
		return new QueueingLockProvider(provider, new QueueSettings(true, Map.of(), Duration.ofMinutes(10), 100, 100));
	}

	private static LockGrant withoutListeners(LockGrant grant) {
		LockGrant mock = mock(LockGrant.class, delegatesTo(grant));
		doThrow(new OutOfMemoryError("for this test")).when(mock).onStateChange(any());
		return mock;
	}

	private record DelegatingAttempt(LockAttempt attempt, CompletableFuture<Optional<LockGrant>> outcome,
			Runnable abandonment) implements LockAttempt {

		@Override
		public Phase phase() {
			return this.attempt.phase();
		}

		@Override
		public void abandon() {
			this.abandonment.run();
		}

	}

}

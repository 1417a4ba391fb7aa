package io.interlock.template;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockGrant;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.thread.Background;
import io.netty.util.concurrent.FastThreadLocalThread;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the time of a try at a store that has not answered yet.
 */
class FirstTryTests {

	private static final Duration TRY = Duration.ofSeconds(100);

	private static final Duration FIRST_TRY = Duration.ofSeconds(500);

	private static final LockRequest REQUEST = LockRequest.exclusive("report");

	private final ScriptedLockProvider provider = new ScriptedLockProvider().answers(FirstTryTests::connecting);

	private final RecordedTime time = new RecordedTime();

	private final LockTemplate template = template(FIRST_TRY);

	private LockTemplate template(Duration firstTryTimeout) {
		return new LockTemplate(this.provider, new LockSettings(Duration.ofSeconds(10), Map.of(), TRY, Duration.ZERO,
				64, false, LockSettings.OnEventLoop.FAIL, firstTryTimeout), new HeldLocks(this.time), List.of());
	}

	private static void connecting(ScriptedAttempt attempt) {
		attempt.at(Phase.CONNECTING);
	}

	/** Return how long a try at a store that does not answer would have waited. */
	private Duration limit(LockRequest request) {
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.template.tryAcquire(request));
		return this.time.newest();
	}

	private void answerOnce(LockRequest request) {
		this.provider.answers(ScriptedAttempt::grant);
		this.template.tryAcquire(request).ifPresent(LockHandle::close);
		this.provider.answers(FirstTryTests::connecting);
	}

	@Test
	void theFirstTryMayTakeTheTimeOfAConnection() {
		assertThat(limit(REQUEST)).isBetween(TRY.plusSeconds(1), FIRST_TRY);
	}

	@Test
	void theFirstTriesEndTogether() {
		limit(REQUEST);
		this.time.advance(Duration.ofSeconds(300));
		assertThat(limit(REQUEST)).isBetween(TRY.plusSeconds(1), Duration.ofSeconds(200));
		this.time.advance(Duration.ofSeconds(150));
		assertThat(limit(REQUEST)).isBetween(Duration.ofSeconds(50), TRY);
		this.time.advance(Duration.ofSeconds(1000));
		assertThat(limit(REQUEST)).isBetween(Duration.ofSeconds(50), TRY);
	}

	@Test
	void aStoreThatHasAnsweredHasNoMoreTime() {
		answerOnce(REQUEST);
		assertThat(limit(REQUEST)).isLessThanOrEqualTo(TRY);
	}

	@Test
	void aRefusalIsAnAnswerToo() {
		this.provider.answers(ScriptedAttempt::deny);
		assertThat(this.template.tryAcquire(REQUEST)).isEmpty();
		this.provider.answers(FirstTryTests::connecting);
		assertThat(limit(REQUEST)).isLessThanOrEqualTo(TRY);
	}

	@Test
	void aFailureIsNoAnswer() {
		this.provider.answers((attempt) -> attempt.fail(new IllegalStateException("no connection yet")));
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.template.tryAcquire(REQUEST));
		this.provider.answers(FirstTryTests::connecting);
		assertThat(limit(REQUEST)).isGreaterThan(TRY);
	}

	@Test
	void eachProviderHasAFirstConnection() {
		answerOnce(REQUEST);
		assertThat(limit(REQUEST.withProvider("billing"))).isGreaterThan(TRY);
	}

	@Test
	void aWaitTimeStaysWhatItIs() {
		Duration wait = Duration.ofSeconds(3);
		assertThat(limit(REQUEST.withWaitTime(wait))).isLessThanOrEqualTo(wait);
	}

	@Test
	void aThreadThatMustNotBlockDoesNotWaitForAConnection() throws Exception {
		FutureTask<Duration> limit = new FutureTask<>(() -> limit(REQUEST));
		new FastThreadLocalThread(limit).start();
		assertThat(limit.get(30, TimeUnit.SECONDS)).isLessThanOrEqualTo(TRY);
	}

	@Test
	void anAsynchronousTryMayTakeTheTimeOfAConnection() throws Exception {
		CompletableFuture<Optional<LockHandle>> first = this.template.tryAcquireAsync(REQUEST);
		ScriptedAttempt attempt = this.provider.awaitAttempt();
		attempt.grant();
		Background.call(() -> first.get(30, TimeUnit.SECONDS)).ifPresent(LockHandle::close);
		assertThat(this.time.newest()).isBetween(TRY.plusSeconds(1), FIRST_TRY);
	}

	@Test
	void withoutATimeForTheFirstTryItIsLikeOthers() {
		LockTemplate plain = template(Duration.ZERO);
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(() -> plain.tryAcquire(REQUEST));
		assertThat(this.time.newest()).isLessThanOrEqualTo(TRY);
	}

	/** Time that a test moves, and in which no wait takes any. */
	private static final class RecordedTime extends LockTime {

		private final List<Duration> limits = Collections.synchronizedList(new ArrayList<>());

		private volatile Duration now = Duration.ZERO;

		void advance(Duration time) {
			this.now = this.now.plus(time);
		}

		Duration newest() {
			return this.limits.get(this.limits.size() - 1);
		}

		@Override
		protected long nanoTime() {
			return this.now.toNanos();
		}

		@Override
		protected Future<?> schedule(Runnable task, long nanos) {
			return new CompletableFuture<>();
		}

		@Override
		protected Optional<LockGrant> await(LockRequest request, LockAttempt attempt, long nanos)
				throws InterruptedException, ExecutionException, TimeoutException {
			this.limits.add(Duration.ofNanos(nanos));
			return super.await(request, attempt, 0);
		}

		@Override
		protected Future<?> onDeadline(LockRequest request, LockAttempt attempt, Runnable passed, long nanos) {
			this.limits.add(Duration.ofNanos(nanos));
			return new CompletableFuture<>();
		}

	}

}

package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockGrant;
import io.interlock.testing.ScriptedAttempt;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Acquisition}: what becomes of a caller is the same whether a thread
 * waits or not. Deadlines pass as soon as there is no outcome.
 */
@Timeout(30)
class AcquisitionTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").withWaitTime(LockRequest.FOREVER);

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final HeldLocks heldLocks = new HeldLocks(new PassedTime());

	private final RecordingListener listener = new RecordingListener();

	private final LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks,
			List.of(this.listener));

	@AfterEach
	void nothingIsLeftBehind() {
		await().untilAsserted(() -> {
			assertThat(this.provider.openGrants()).isZero();
			assertThat(this.heldLocks.held()).isEmpty();
			assertThat(this.heldLocks.waiting()).isEmpty();
		});
		assertThat(Leftovers.takeHandles()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void aThreadIsTold(Fate fate) {
		fate.awaits(this, () -> this.template.tryAcquire(REQUEST));
	}

	@ParameterizedTest
	@EnumSource
	void aFutureIsTold(Fate fate) {
		fate.awaits(this, () -> {
			try {
				return this.template.tryAcquireAsync(REQUEST).join();
			}
			catch (CompletionException ex) {
				throw (LockException) ex.getCause();
			}
		});
	}

	/**
	 * What becomes of an attempt, the caller and the listeners.
	 */
	enum Fate {

		GRANTED(Attempts.first(ScriptedAttempt::grant), 1, null, "waiting", "acquired", "released"),

		REFUSED(Attempts.first(ScriptedAttempt::deny), 1, null, "waiting", "not acquired"),

		FAILED(Attempts.first((attempt) -> attempt.fail(new IllegalStateException("broken"))), 1, LockException.class,
				"waiting", "failure"),

		THROWN(Attempts.first((attempt) -> {
			throw new IllegalStateException("broken");
		}), 1, LockException.class, "waiting", "failure"),

		ENDED_WITHOUT_AN_OUTCOME(Attempts.first((attempt) -> attempt.outcome().complete(null)), 1, LockException.class,
				"waiting", "failure"),

		CANCELLED_BY_SOMEBODY_ELSE(Attempts.first((attempt) -> attempt.outcome().cancel(false)), 1, LockException.class,
				"waiting", "failure"),

		IN_A_LINE_AT_THE_DEADLINE(Attempts.atDeadline(Phase.QUEUED, (attempt) -> {
		}), 1, null, "waiting", "not acquired"),

		UNANSWERED_AT_THE_DEADLINE(Attempts.atDeadline(Phase.CREATING, (attempt) -> {
		}), 1, LockServiceUnavailableException.class, "waiting", "failure"),

		GRANTED_AT_THE_DEADLINE(Attempts.atDeadline(Phase.CREATING, ScriptedAttempt::grant), 1, null, "waiting",
				"acquired", "released"),

		REFUSED_AT_THE_DEADLINE(Attempts.atDeadline(Phase.CREATING, ScriptedAttempt::deny), 1, null, "waiting",
				"not acquired"),

		FAILED_AT_THE_DEADLINE(
				Attempts.atDeadline(Phase.CREATING, (attempt) -> attempt.fail(new IllegalStateException("broken"))), 1,
				LockException.class, "waiting", "failure"),

		LOST_FIVE_TIMES_AND_GRANTED((provider, attempt) -> {
			if (provider.attempts().size() <= 5) {
				attempt.granted().noticeLoss();
			}
			attempt.grant();
		}, 6, null, "waiting", "acquired", "released"),

		LOST_AND_REFUSED((provider, attempt) -> {
			attempt.granted().noticeLoss();
			attempt.grant();
			provider.answers(ScriptedAttempt::deny);
		}, 2, null, "waiting", "not acquired"),

		SUSPENDED_AND_VALID(Attempts.suspended(ScriptedGrant::resume), 1, null, "waiting", "acquired", "released"),

		SUSPENDED_AND_REPLACED(Attempts.suspended(ScriptedGrant::noticeLoss), 2, null, "waiting", "acquired",
				"released"),

		STOPPED((provider, attempt) -> {
		}, 1, LockServiceUnavailableException.class, "waiting", "failure") {

			@Override
			void answer(AcquisitionTests test, ScriptedAttempt attempt) {
				attempt.at(Phase.QUEUED);
				test.heldLocks.stop();
			}

		},

		LOST_BEHIND_ITS_GRANT(Attempts.first(ScriptedAttempt::grant), 1, LockLostException.class, "waiting", "acquired",
				"lost", "released") {

			@Override
			void answer(AcquisitionTests test, ScriptedAttempt attempt) {
				test.listener.onAcquired = attempt.granted()::lose;
				attempt.grant();
			}

		};

		private final BiConsumer<ScriptedLockProvider, ScriptedAttempt> answer;

		private final int attempts;

		private final Class<? extends LockException> failure;

		private final List<String> news;

		Fate(BiConsumer<ScriptedLockProvider, ScriptedAttempt> answer, int attempts,
				Class<? extends LockException> failure, String... news) {
			this.answer = answer;
			this.attempts = attempts;
			this.failure = failure;
			this.news = List.of(news);
		}

		void answer(AcquisitionTests test, ScriptedAttempt attempt) {
			this.answer.accept(test.provider, attempt);
		}

		void awaits(AcquisitionTests test, Supplier<Optional<LockHandle>> caller) {
			test.provider.answers((attempt) -> answer(test, attempt));
			Class<? extends LockException> told = null;
			try {
				Optional<LockHandle> handle = caller.get();
				assertThat(handle.isPresent()).isEqualTo(this.news.contains("acquired"));
				handle.ifPresent(LockHandle::close);
			}
			catch (LockException ex) {
				told = ex.getClass();
			}
			assertThat(told).isEqualTo(this.failure);
			assertThat(test.provider.attempts()).hasSize(this.attempts);
			await().untilAsserted(() -> assertThat(test.listener.news).containsExactlyElementsOf(this.news));
		}

	}

	private static final class Attempts {

		static BiConsumer<ScriptedLockProvider, ScriptedAttempt> first(Consumer<ScriptedAttempt> answer) {
			return (provider, attempt) -> answer.accept(attempt);
		}

		static BiConsumer<ScriptedLockProvider, ScriptedAttempt> atDeadline(Phase phase,
				Consumer<ScriptedAttempt> answer) {
			return first((attempt) -> attempt.at(phase).whenAbandoned(() -> answer.accept(attempt)));
		}

		static BiConsumer<ScriptedLockProvider, ScriptedAttempt> suspended(Consumer<ScriptedGrant> next) {
			return (provider, attempt) -> {
				ScriptedGrant grant = attempt.granted();
				grant.suspend();
				grant.whenLookedAt(() -> next.accept(grant));
				attempt.grant();
				provider.answers(ScriptedAttempt::grant);
			};
		}

	}

	private static final class RecordingListener implements LockListener {

		private final List<String> news = new CopyOnWriteArrayList<>();

		private volatile Runnable onAcquired = () -> {
		};

		@Override
		public void onWaiting(LockRequest request) {
			this.news.add("waiting");
		}

		@Override
		public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
			this.news.add("acquired");
			this.onAcquired.run();
		}

		@Override
		public void onNotAcquired(LockRequest request, Duration waited) {
			this.news.add("not acquired");
		}

		@Override
		public void onFailure(LockRequest request, LockException failure) {
			this.news.add("failure");
		}

		@Override
		public void onLost(LockHandle handle) {
			this.news.add("lost");
		}

		@Override
		public void onReleased(LockHandle handle, Duration held) {
			this.news.add("released");
		}

	}

	/**
	 * Time in which each deadline is over. Holds have no limits here.
	 */
	private static final class PassedTime extends LockTime {

		@Override
		protected long nanoTime() {
			return 0;
		}

		@Override
		protected Future<?> schedule(Runnable task, long nanos) {
			return new FutureTask<>(task, null);
		}

		@Override
		protected Optional<LockGrant> await(LockRequest request, LockAttempt attempt, long nanos)
				throws InterruptedException, ExecutionException, TimeoutException {
			return attempt.outcome().get(0, TimeUnit.NANOSECONDS);
		}

		@Override
		protected Future<?> onDeadline(LockRequest request, LockAttempt attempt, Runnable passed, long nanos) {
			if (!attempt.outcome().isDone()) {
				passed.run();
			}
			return new FutureTask<>(passed, null);
		}

	}

}

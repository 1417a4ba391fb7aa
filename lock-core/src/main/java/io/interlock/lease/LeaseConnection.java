package io.interlock.lease;

import java.net.ConnectException;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.interlock.LockId;
import io.interlock.admin.LockInspector;
import io.interlock.lease.LeaseStore.Renewed;
import io.interlock.lease.LeaseStoreSnapshot.State;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * Sends all questions to the store, and records whether it answers. It sends a question
 * of its own only if an operator asks for the state, and the newest answer is old or a
 * request has failed since. Invariants: a question counts as failed only if the store has
 * neither granted nor changed anything since it was sent, which a replica that answers
 * cannot; at most one question of its own is under way.
 */
final class LeaseConnection {

	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final LeaseStore store;

	private final LeaseTime time;

	private final LeaseThreads threads;

	private final Duration lease;

	private final long leaseNanos;

	private final LeaseAnswerTimes answerTimes;

	private final OutageLog log;

	private final AtomicReference<@Nullable Question> question = new AtomicReference<>();

	private volatile @Nullable Long answeredAt;

	/** When the store has answered last that it has changed something. */
	private volatile @Nullable Long changedAt;

	private volatile @Nullable Question failed;

	private volatile boolean closed;

	LeaseConnection(LeaseStore store, LeaseTime time, LeaseThreads threads, LeaseSettings settings) {
		this.store = store;
		this.time = time;
		this.threads = threads;
		this.lease = settings.lease();
		this.leaseNanos = this.lease.toNanos();
		this.answerTimes = new LeaseAnswerTimes(time, settings);
		this.log = new OutageLog(store::address, time);
	}

	/**
	 * Ask in the background, unless the last answer is new and no request has failed
	 * since, and wait at most 1 s.
	 */
	void askIfOld(boolean wait) {
		Long answered = this.answeredAt;
		boolean isNew = answered != null && this.time.nanoTime() - answered < this.leaseNanos / 3;
		if (this.closed || (isNew && !this.log.isDoubtful() && openFailure() == null)) {
			return;
		}
		Question question = ask();
		if (wait) {
			LeaseThreads.await(this.time, question.done, PATIENCE_NANOS);
		}
	}

	private Question ask() {
		Question asked = new Question(this.time.nanoTime());
		Question underWay = this.question.compareAndExchange(null, asked);
		if (underWay != null) {
			return underWay;
		}
		try {
			this.threads.request(() -> answer(asked));
		}
		catch (RejectedExecutionException ex) {
			end(asked, "this instance is shutting down");
		}
		catch (Throwable ex) {
			end(asked, String.valueOf(ex.getMessage()));
		}
		return asked;
	}

	private void answer(Question question) {
		try {
			check();
			end(question, null);
		}
		catch (Throwable ex) {
			question.refused = NestedExceptionUtils.getMostSpecificCause(ex) instanceof ConnectException;
			end(question, String.valueOf(ex.getMessage()));
		}
	}

	private void end(Question question, @Nullable String failure) {
		question.failure = failure;
		if (failure != null) {
			this.failed = question;
		}
		this.question.compareAndSet(question, null);
		question.done.complete(null);
	}

	State state(boolean renewalsFail) {
		Long answered = this.answeredAt;
		if (this.closed) {
			return State.CLOSED;
		}
		if (answered == null) {
			return State.CONNECTING;
		}
		if (failure() == null && !renewalsFail) {
			return State.CONNECTED;
		}
		return (this.time.nanoTime() - answered >= this.leaseNanos / 10 * 9) ? State.LOST : State.SUSPENDED;
	}

	/** A pool that tries to connect is no silent server if the last try was refused. */
	@Nullable String failure() {
		Question failed = openFailure();
		Question underWay = this.question.get();
		if (underWay != null && this.time.nanoTime() - underWay.sentAt >= PATIENCE_NANOS
				&& isBefore(this.answeredAt, underWay) && (failed == null || !failed.refused)) {
			return "the store has not answered for a second";
		}
		return (failed != null) ? failed.failure : this.log.reason();
	}

	private @Nullable Question openFailure() {
		Question failed = this.failed;
		return (failed != null && isBefore(this.changedAt, failed)) ? failed : null;
	}

	private static boolean isBefore(@Nullable Long moment, Question question) {
		return moment == null || moment - question.sentAt < 0;
	}

	@Nullable Duration answerAge() {
		Long answered = this.answeredAt;
		return (answered != null) ? Duration.ofNanos(Math.max(0, this.time.nanoTime() - answered)) : null;
	}

	private <T> T noted(T answer) {
		this.answeredAt = this.time.nanoTime();
		this.log.answeredOther();
		return answer;
	}

	private <T> T noted(T answer, boolean changed) {
		if (changed) {
			this.changedAt = this.time.nanoTime();
		}
		return noted(answer);
	}

	/** An answer that nothing was there to be changed is what a replica answers, too. */
	private boolean notedChange(boolean changed) {
		return noted(changed, changed);
	}

	private <T> CompletionStage<T> told(CompletionStage<T> answer, boolean acquiring) {
		return answer.whenComplete((done, failure) -> {
			if (failure != null) {
				this.log.failed(failure, acquiring);
			}
		});
	}

	private <T> T told(Supplier<T> question, Predicate<T> changed) {
		try {
			T answer = question.get();
			return noted(answer, changed.test(answer));
		}
		catch (LeaseStoreException ex) {
			throw this.log.failed(ex, false);
		}
	}

	void check() {
		told(() -> {
			this.store.check();
			return true;
		}, (checked) -> true);
		this.log.answered();
	}

	/** The executor runs the question if the store needs a thread for it. */
	CompletionStage<LeaseAnswer> acquire(LeaseContender contender, boolean waits, Executor threads) {
		long sentAt = this.time.nanoTime();
		return answered(contender, sentAt, this.store.acquire(contender, this.lease, waits, threads));
	}

	CompletionStage<LeaseAnswer> acquireInTurn(LeaseContender contender, Executor threads) {
		long sentAt = this.time.nanoTime();
		return answered(contender, sentAt, this.store.acquireInTurn(contender, this.lease, threads));
	}

	private CompletionStage<LeaseAnswer> answered(LeaseContender contender, long sentAt,
			CompletionStage<LeaseAnswer> question) {
		return told(question, true).whenComplete((answer, failure) -> this.answerTimes.ended(contender))
			.thenApply((answer) -> {
				this.answerTimes.answered(sentAt);
				this.log.answered();
				return noted(answer, answer.granted());
			});
	}

	LeaseAnswerTimes answerTimes() {
		return this.answerTimes;
	}

	Renewed renew(Collection<LeaseContender> contenders) {
		return told(() -> this.store.renew(contenders, this.lease), LeaseConnection::hasRenewed);
	}

	Renewed renewAlone(LeaseContender contender) {
		return told(() -> this.store.renewAlone(contender, this.lease), LeaseConnection::hasRenewed);
	}

	private static boolean hasRenewed(Renewed answer) {
		return !answer.renewed().isEmpty();
	}

	CompletionStage<Boolean> release(LeaseContender contender) {
		return told(this.store.release(contender, this.threads::end), false).thenApply(this::notedChange);
	}

	CompletionStage<Boolean> keep(LeaseContender contender, LeaseContender kept, Duration rest) {
		return told(this.store.keep(contender, kept, rest, this.threads::end), false).thenApply(this::notedChange);
	}

	boolean outlivesInstance() {
		return this.store.capabilities().outlivesInstance();
	}

	CompletionStage<Boolean> isHeld(LeaseContender contender) {
		return this.store.isHeld(contender, this.threads::end).thenApply(this::noted);
	}

	Set<LeaseContender> held(Collection<LeaseContender> contenders) {
		return told(() -> this.store.held(contenders), (held) -> false);
	}

	/** Read locks. That this is refused says nothing about locks. */
	LeaseLine.Lines lines(LockInspector.Query query) {
		return noted(this.store.lines(query));
	}

	Optional<LeaseLine> line(LockId lock) {
		return noted(this.store.line(lock));
	}

	/** Acquire a lock for another time than a lease, and wait for the answer. */
	boolean acquireAtOnce(LeaseContender contender, Duration time) {
		return notedChange(this.store.acquire(contender, time, false).granted());
	}

	/** Release a contender of any instance, and wait for the answer. */
	boolean forget(LeaseContender contender) {
		return notedChange(this.store.release(contender));
	}

	boolean keepsOrder() {
		return this.store.keepsOrder();
	}

	boolean isTelling() {
		return this.store.isTelling();
	}

	void close() {
		this.closed = true;
		this.store.close();
	}

	private static final class Question {

		private final long sentAt;

		private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();

		private volatile @Nullable String failure;

		private volatile boolean refused;

		Question(long sentAt) {
			this.sentAt = sentAt;
		}

	}

}

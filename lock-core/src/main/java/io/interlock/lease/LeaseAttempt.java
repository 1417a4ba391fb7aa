package io.interlock.lease;

import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.provider.AbstractLockAttempt;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that asks the store until it is granted or given up. Invariants: it is
 * decided once, under its monitor, and the outcome is completed without it, by the thread
 * that has decided or by one that abandons, whichever comes first; one question is under
 * way at the most; a try is refused after a release in front was tried; when it ends
 * without a grant, the store is told to forget what it may know of it, after the question
 * that is under way.
 */
final class LeaseAttempt extends AbstractLockAttempt {

	private static final long FIRST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

	private static final long FIRST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	static final Comparator<LeaseAttempt> ORDER = Comparator.comparing((attempt) -> attempt.id);

	private final LockRequest request;

	private final Supplier<LeaseContender> contenders;

	private final LeaseLockProvider provider;

	private final String id;

	private volatile LeaseContender contender;

	private volatile boolean queued;

	private volatile boolean contended;

	private volatile @Nullable Throwable obstacle;

	private @Nullable Future<?> nextQuestion;

	private long sentAt;

	private boolean telling;

	/** A release in front that the first question may overtake. */
	private @Nullable CompletableFuture<@Nullable Void> overtaken;

	private boolean known;

	private boolean asking;

	private boolean askAgain;

	private int polls;

	private long holder;

	private long holderSince;

	private int failures;

	LeaseAttempt(LockRequest request, Supplier<LeaseContender> contenders, LeaseLockProvider provider) {
		this.request = request;
		this.contenders = contenders;
		this.provider = provider;
		this.contender = contenders.get();
		this.id = this.contender.id();
	}

	LockId lock() {
		return this.contender.lock();
	}

	void start() {
		this.provider.add(this);
		if (this.provider.isClosed()) {
			fail(closed());
		}
		this.provider.releases().askBehind(this);
	}

	void ask(@Nullable CompletableFuture<@Nullable Void> overtaken) {
		this.overtaken = overtaken;
		ask();
	}

	void ask() {
		boolean knownBefore;
		synchronized (this) {
			if (isDecided() || this.asking) {
				this.askAgain = true;
				return;
			}
			this.asking = true;
			knownBefore = this.known;
			cancelNextQuestion();
			begin();
		}
		Executor threads = (question) -> {
			setKnown(knownBefore);
			this.provider.threads().request(() -> askIfNeeded(question));
		};
		try {
			CompletionStage<LeaseAnswer> answer = this.queued
					? this.provider.connection().acquireInTurn(this.contender, threads) : this.provider.connection()
						.acquire(this.contender, !Duration.ZERO.equals(this.request.waitTime()), threads);
			answer.thenAccept(this::answered).whenComplete((done, failure) -> {
				if (failure != null) {
					failed((failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
							: failure);
				}
			});
		}
		catch (Throwable ex) {
			failed(ex);
		}
	}

	private synchronized boolean begin() {
		this.askAgain = false;
		this.known = this.known || !isDecided();
		this.telling = this.provider.connection().isTelling();
		this.sentAt = this.provider.time().nanoTime();
		return !isDecided();
	}

	private void askIfNeeded(Runnable question) {
		Runnable next = begin() ? question : this::stopAsking;
		next.run();
	}

	private synchronized void setKnown(boolean known) {
		this.known = known;
	}

	private void answered(LeaseAnswer answer) {
		this.provider.answered();
		long sentAt = this.sentAt;
		this.obstacle = null;
		this.failures = 0;
		if (answer.granted()) {
			granted(answer.token(), sentAt);
		}
		else if (!Duration.ZERO.equals(this.request.waitTime())) {
			this.contended = true;
			this.queued = true;
			this.provider.renewal().keepWaiting(this.contender, sentAt);
			boolean told = this.telling && this.provider.connection().isTelling();
			askLater(pauseBehind(answer.token(), sentAt, told), !told);
		}
		else {
			// The store keeps nothing of it.
			setKnown(false);
			refused();
		}
	}

	private void refused() {
		CompletableFuture<@Nullable Void> release = this.overtaken;
		if (release != null) {
			this.overtaken = null;
			release.thenRun(this::stopAsking).thenRun(this::ask);
			return;
		}
		end(() -> outcome().complete(Optional.empty()));
		stopAsking();
	}

	/** A tenth of the time of the same holder, up to 1 s; 1 s if releases are told. */
	private long pauseBehind(long holder, long sentAt, boolean told) {
		if (this.polls == 0 || holder != this.holder) {
			this.holder = holder;
			this.holderSince = sentAt;
		}
		long poll = this.provider.settings().pollInterval().toNanos();
		long longest = Math.max(poll, LONGEST_PAUSE_NANOS);
		long pause = Math.min(poll, FIRST_POLL_NANOS << Math.min(this.polls++, 20));
		return Math.max(pause, told ? longest : Math.min((sentAt - this.holderSince) / 10, longest));
	}

	/** Hand out a grant, unless its lease is too old after a late answer or a pause. */
	private void granted(long token, long sentAt) {
		LeaseGrant grant = new LeaseGrant(this.contender, token, sentAt, this.request, this.contended, this.provider);
		this.provider.renewal().stopWaiting(this.contender);
		if (!grant.isFresh()) {
			this.provider.releases().release(this.contender);
			this.contender = this.contenders.get();
			this.queued = false;
			setKnown(false);
			askLater(FIRST_POLL_NANOS, true);
			return;
		}
		this.provider.renewal().register(grant);
		setKnown(false);
		if (!end(() -> outcome().complete(Optional.of(grant)))) {
			grant.release();
		}
		stopAsking();
	}

	private void failed(Throwable ex) {
		this.obstacle = ex;
		this.queued = false;
		if (!LeaseStoreException.mayPass(ex) || this.provider.settings().failFast()) {
			stopAsking();
			fail(LeaseStoreException.failure(ex, lock()));
			return;
		}
		askLater(Math.min(LONGEST_PAUSE_NANOS, FIRST_RETRY_NANOS << Math.min(this.failures++, 5)), true);
	}

	void fail(Throwable failure) {
		if (end(() -> outcome().completeExceptionally(failure))) {
			forget();
		}
	}

	LockServiceUnavailableException closed() {
		return LeaseStoreException.closed(lock());
	}

	private void askLater(long nanos, boolean maybeEarlier) {
		boolean now;
		Throwable failure = null;
		synchronized (this) {
			this.asking = false;
			now = this.askAgain;
			if (!isDecided() && !now) {
				long jitter = maybeEarlier ? this.provider.time().random(nanos / 2 + 1) : 0;
				try {
					this.nextQuestion = this.provider.threads().later(this::ask, nanos - jitter);
				}
				catch (Throwable ex) {
					failure = ex;
				}
			}
		}
		if (failure != null) {
			fail((failure instanceof Error) ? failure : closed());
			return;
		}
		forget();
		if (now) {
			ask();
		}
	}

	private void stopAsking() {
		synchronized (this) {
			this.asking = false;
		}
		forget();
	}

	/** Make the store forget a decided attempt, after the question that is under way. */
	private void forget() {
		boolean forgets;
		synchronized (this) {
			if (!isDecided() || this.asking) {
				return;
			}
			forgets = this.known;
			this.known = false;
		}
		if (forgets) {
			this.provider.renewal().stopWaiting(this.contender);
			this.provider.releases().release(this.contender);
		}
		this.provider.remove(this);
	}

	private boolean end(Runnable completion) {
		synchronized (this) {
			if (!decide(completion)) {
				return false;
			}
			cancelNextQuestion();
		}
		complete();
		return true;
	}

	private void cancelNextQuestion() {
		if (this.nextQuestion != null) {
			this.nextQuestion.cancel(false);
			this.nextQuestion = null;
		}
	}

	@Override
	public Phase phase() {
		if (this.queued && this.provider.isAnswering()) {
			return Phase.QUEUED;
		}
		return (this.obstacle != null) ? Phase.CONNECTING : Phase.CREATING;
	}

	@Override
	public @Nullable Throwable obstacle() {
		return this.obstacle;
	}

	@Override
	public void abandon() {
		if (end(() -> outcome().cancel(false))) {
			forget();
		}
		complete();
	}

}

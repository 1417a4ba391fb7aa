package io.interlock.lease;

import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.interlock.LockAttempt;
import io.interlock.LockGrant;
import io.interlock.LockId;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that asks the store until it is granted or given up. Invariants: it is
 * decided once, under its monitor, and the outcome is completed without it, by the thread
 * that has decided or by one that abandons, whichever comes first; one question is under
 * way at the most; when it ends without a grant, the store is told to forget what it may
 * know of it, after the question that is under way.
 */
final class LeaseAttempt implements LockAttempt {

	private static final long FIRST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

	private static final long LONGEST_POLL_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long FIRST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

	static final Comparator<LeaseAttempt> ORDER = Comparator.comparing((attempt) -> attempt.id);

	private final Supplier<LeaseContender> contenders;

	private final boolean waits;

	private final LeaseEngine engine;

	private final CompletableFuture<Optional<LockGrant>> outcome = new CompletableFuture<>();

	private final String id;

	private volatile LeaseContender contender;

	private volatile boolean queued;

	private volatile boolean contended;

	private volatile @Nullable Throwable obstacle;

	private @Nullable Runnable decision;

	private @Nullable Future<?> nextQuestion;

	private boolean known;

	private boolean asking;

	private boolean askAgain;

	private int polls;

	private long holder;

	private long holderSince;

	private int failures;

	/** Create an attempt. Each contender has an identifier of its own. */
	LeaseAttempt(Supplier<LeaseContender> contenders, boolean waits, LeaseEngine engine) {
		this.contenders = contenders;
		this.waits = waits;
		this.engine = engine;
		this.contender = contenders.get();
		this.id = this.contender.id();
	}

	LockId lock() {
		return this.contender.lock();
	}

	void start() {
		this.engine.add(this);
		this.engine.releases().afterRelease(lock(), this::ask);
	}

	/** Ask the store as soon as there is a thread. */
	void ask() {
		synchronized (this) {
			if (this.decision != null || this.asking) {
				this.askAgain = true;
				return;
			}
			this.asking = true;
			cancelNextQuestion();
		}
		try {
			this.engine.threads().request(this::askNow);
		}
		catch (Throwable ex) {
			stopAsking();
			failWithoutThread(ex);
		}
	}

	private void failWithoutThread(Throwable ex) {
		fail((ex instanceof Error) ? ex : LeaseFailures.closed(lock()));
	}

	private void askNow() {
		synchronized (this) {
			this.askAgain = false;
			this.known = this.known || this.decision == null;
		}
		if (isDecided()) {
			stopAsking();
			return;
		}
		boolean telling = this.engine.store().isTelling();
		long sentAt = this.engine.time().nanoTime();
		try {
			LeaseAnswer answer = this.queued
					? this.engine.store().acquireInTurn(this.contender, this.engine.settings().lease())
					: this.engine.store().acquire(this.contender, this.engine.settings().lease(), this.waits);
			this.engine.answered();
			answered(answer, sentAt, telling);
		}
		catch (Throwable ex) {
			failed(ex);
		}
	}

	private void answered(LeaseAnswer answer, long sentAt, boolean telling) {
		this.obstacle = null;
		this.failures = 0;
		if (answer.granted()) {
			granted(answer.token(), sentAt);
		}
		else if (this.waits) {
			this.contended = true;
			this.queued = true;
			this.engine.keeper().keepWaiting(this.contender, sentAt);
			boolean told = telling && this.engine.store().isTelling();
			askLater(pauseBehind(answer.token(), sentAt, told), !told);
		}
		else {
			synchronized (this) {
				// The store keeps nothing of it.
				this.known = false;
				this.asking = false;
			}
			decide(() -> this.outcome.complete(Optional.empty()));
		}
	}

	/**
	 * The poll interval at first; a tenth of the time of the same holder, up to 1 s. It
	 * is 1 s where each release since the question is told.
	 */
	private long pauseBehind(long holder, long sentAt, boolean told) {
		if (this.polls == 0 || holder != this.holder) {
			this.holder = holder;
			this.holderSince = sentAt;
		}
		long poll = this.engine.settings().pollInterval().toNanos();
		if (told) {
			return Math.max(poll, LONGEST_POLL_NANOS);
		}
		long pause = Math.min(poll, FIRST_POLL_NANOS << Math.min(this.polls++, 20));
		return Math.max(pause, Math.min((sentAt - this.holderSince) / 10, Math.max(poll, LONGEST_POLL_NANOS)));
	}

	/** Hand out a grant, unless its lease is too old after a late answer or a pause. */
	private void granted(long token, long sentAt) {
		LeaseHold hold = new LeaseHold(this.contender, token, sentAt, this.contended, this.engine);
		this.engine.keeper().stopWaiting(this.contender);
		if (!hold.isFresh()) {
			this.engine.releases().release(this.contender);
			synchronized (this) {
				this.contender = this.contenders.get();
				this.queued = false;
				this.known = false;
			}
			askLater(FIRST_POLL_NANOS, true);
			return;
		}
		this.engine.keeper().register(hold);
		synchronized (this) {
			this.known = false;
		}
		if (!decide(() -> this.outcome.complete(Optional.of(hold)))) {
			hold.release();
		}
		stopAsking();
	}

	private void failed(Throwable ex) {
		this.obstacle = ex;
		this.queued = false;
		if (!LeaseFailures.isPassing(ex) || this.engine.settings().failFast()) {
			stopAsking();
			fail((ex instanceof Error) ? ex : LeaseFailures.refused(lock(), ex));
			return;
		}
		askLater(Math.min(LONGEST_RETRY_NANOS, FIRST_RETRY_NANOS << Math.min(this.failures++, 5)), true);
	}

	void fail(Throwable failure) {
		if (decide(() -> this.outcome.completeExceptionally(failure))) {
			forget();
		}
	}

	private void askLater(long nanos, boolean maybeEarlier) {
		boolean now;
		Throwable failure = null;
		synchronized (this) {
			this.asking = false;
			now = this.askAgain;
			if (this.decision == null && !now) {
				long jitter = maybeEarlier ? this.engine.time().random(nanos / 2 + 1) : 0;
				try {
					this.nextQuestion = this.engine.threads().later(this::ask, nanos - jitter);
				}
				catch (Throwable ex) {
					failure = ex;
				}
			}
		}
		if (failure != null) {
			failWithoutThread(failure);
		}
		else if (isDecided()) {
			forget();
		}
		else if (now) {
			ask();
		}
	}

	private void stopAsking() {
		synchronized (this) {
			this.asking = false;
		}
		if (isDecided()) {
			forget();
		}
	}

	/** Make the store forget this attempt, at the latest after the present question. */
	private void forget() {
		synchronized (this) {
			if (!this.known || this.asking) {
				return;
			}
			this.known = false;
		}
		this.engine.keeper().stopWaiting(this.contender);
		this.engine.releases().release(this.contender);
	}

	private synchronized boolean isDecided() {
		return this.decision != null;
	}

	private boolean decide(Runnable completion) {
		synchronized (this) {
			if (this.decision != null) {
				return false;
			}
			this.decision = completion;
			cancelNextQuestion();
		}
		this.engine.remove(this);
		completion.run();
		return true;
	}

	private void cancelNextQuestion() {
		if (this.nextQuestion != null) {
			this.nextQuestion.cancel(false);
			this.nextQuestion = null;
		}
	}

	@Override
	public CompletableFuture<Optional<LockGrant>> outcome() {
		return this.outcome;
	}

	@Override
	public Phase phase() {
		if (this.queued && this.engine.isAnswering()) {
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
		Runnable earlier;
		synchronized (this) {
			earlier = this.decision;
		}
		if (earlier == null && decide(() -> this.outcome.cancel(false))) {
			forget();
			return;
		}
		synchronized (this) {
			earlier = this.decision;
		}
		if (earlier != null) {
			earlier.run();
		}
	}

}

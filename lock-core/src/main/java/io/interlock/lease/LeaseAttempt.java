package io.interlock.lease;

import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.provider.AbstractLockAttempt;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to acquire a lock from a store, in these steps:
 * <ol>
 * <li>{@link #start()}: wait until the store has answered the newest release of the same
 * lock by this instance, or has failed to. A store that keeps the order of requests is
 * asked at once.
 * <li>{@link #ask()}: ask the store for the lock, and note the time before. While a
 * question is under way, no other one is sent; if the lock is reported free in the
 * meantime, another question follows at once. If the outcome is decided meanwhile, the
 * question ends with its present step, unless its caller has given up and its answer is
 * news that {@link LeaseAnswerTimes} misses.
 * <li>{@link #answered(LeaseAnswer)}: the store decides. A grant is handed out if its
 * lease is still young; otherwise it is released, and the attempt starts over. From now
 * on, a caller that waits has a place in the queue of the store, which
 * {@link LeaseRenewal} keeps; it asks again after a pause of {@link LeaseBackoff}, or
 * when the lock is reported free. A caller that does not wait is refused, unless its
 * question has overtaken a release, or a contender is in its way that this instance
 * releases: then it asks once more. It is refused before that if another attempt of this
 * instance has the lock meanwhile.
 * <li>{@link #failed(Throwable)}: the store did not answer. Ask again after a pause,
 * unless the failure is permanent or the settings say to fail fast.
 * <li>{@link #end(Runnable)}: the first of grant, refusal, failure, {@link #close()} and
 * {@link #abandon()} decides the outcome. A grant that arrives later goes to another
 * attempt of this instance that asks for the same, or is released.
 * <li>{@link #forget()}: once the outcome is decided and no question is under way, remove
 * the contender from the store, unless the store keeps nothing of it or a
 * {@link LeaseGrant} owns it. Then the provider forgets the attempt.
 * </ol>
 * Invariants: the outcome is decided once, under the monitor of the attempt, and
 * completed outside of it; at most one question is under way; the contender is removed
 * from the store only after the last question was answered.
 */
final class LeaseAttempt extends AbstractLockAttempt {

	static final Comparator<LeaseAttempt> ORDER = Comparator.comparing((attempt) -> attempt.id);

	private final LockRequest request;

	private final Supplier<LeaseContender> contenders;

	private final LeaseParts parts;

	private final LeaseRenewal renewal;

	private final Siblings siblings;

	private final LeaseBackoff backoff;

	private final LeaseStanding standing;

	private final String id;

	private volatile LeaseContender contender;

	/**
	 * Whether the store may know the contender, and this attempt has to remove it.
	 * Written by the question under way, and when there is none.
	 */
	private volatile boolean known;

	private boolean asking;

	private boolean askAgain;

	/**
	 * Create an attempt.
	 * @param request what to acquire
	 * @param contenders makes a contender with a new identifier
	 * @param parts what it works with
	 * @param renewal renews the lease of the contender while it waits, and of the grant
	 * @param siblings the attempts of this instance, this one among them until it has
	 * left the store
	 */
	LeaseAttempt(LockRequest request, Supplier<LeaseContender> contenders, LeaseParts parts, LeaseRenewal renewal,
			Siblings siblings) {
		this.request = request;
		this.contenders = contenders;
		this.parts = parts;
		this.renewal = renewal;
		this.siblings = siblings;
		this.backoff = new LeaseBackoff(parts);
		this.standing = new LeaseStanding(parts, this.backoff, isWaiting());
		this.contender = contenders.get();
		this.id = this.contender.id();
	}

	LockId lock() {
		return this.contender.lock();
	}

	private boolean isWaiting() {
		return !Duration.ZERO.equals(this.request.waitTime());
	}

	void start() {
		CompletableFuture<@Nullable Void> release = this.parts.releases().newest(lock());
		if (release != null && !this.parts.connection().keepsOrder()) {
			release.thenRun(this::ask);
			return;
		}
		this.standing.overtakes(release);
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
			this.backoff.begin();
			begin();
		}
		try {
			send((question) -> {
				this.known = knownBefore;
				this.parts.threads().request(() -> askIfNeeded(question));
			}).thenAccept(this::answered).exceptionally((failure) -> {
				failed(LeaseStoreException.unwrapped(failure));
				return null;
			});
		}
		catch (Throwable ex) {
			failed(ex);
		}
	}

	private CompletionStage<LeaseAnswer> send(Executor threads) {
		return this.standing.isQueued() ? this.parts.connection().acquireInTurn(this.contender, threads)
				: this.parts.connection().acquire(this.contender, isWaiting(), threads);
	}

	/** Begin a step of a question, and return whether its answer is of use. */
	private synchronized boolean begin() {
		boolean useful = !isDecided() || (outcome().isCancelled() && this.standing.isNews(this.contender));
		this.askAgain = false;
		this.known = this.known || useful;
		this.standing.begin();
		return useful;
	}

	private void askIfNeeded(Runnable question) {
		Runnable next = begin() ? question : this::stopAsking;
		next.run();
	}

	private void answered(LeaseAnswer answer) {
		this.backoff.answered();
		this.standing.answered(this.contender, answer, (moment) -> this.siblings.isAskedBefore(moment, this));
		if (answer.granted()) {
			granted(answer.token());
		}
		else if (isWaiting()) {
			queued(answer.token());
		}
		else {
			refused();
		}
	}

	private void granted(long token) {
		LeaseGrant grant = new LeaseGrant(this.contender, token, this.standing.sentAt(), this.request,
				this.standing.isContended(), this.parts, this.renewal);
		this.renewal.stopWaiting(this.contender);
		if (grant.isFresh()) {
			handOut(grant);
		}
		else {
			startOver(token);
		}
	}

	private void handOut(LeaseGrant grant) {
		this.renewal.register(grant);
		this.known = false;
		this.siblings.give(grant, this);
		stopAsking();
	}

	/** Take a hold, perhaps that of an attempt that has given up. */
	boolean take(LeaseGrant grant) {
		boolean taken = grant.isFor(this.request) && end(() -> outcome().complete(Optional.of(grant)));
		if (taken) {
			forget();
		}
		return taken;
	}

	/**
	 * Learn that another attempt of this instance was granted the lock during this one. A
	 * caller that does not wait is refused if that excludes it: the answer to its own
	 * question may come late.
	 */
	void grantedToOther(LeaseGrant grant) {
		boolean excluded = grant.request().mode().excludes(this.request.mode());
		this.standing.grantedHere(grant.fencingToken(), excluded);
		if (excluded && !isWaiting() && end(() -> outcome().complete(Optional.empty()))) {
			forget();
		}
	}

	void releasedHere(long token) {
		this.standing.releasedHere(token);
	}

	synchronized boolean isAskedBefore(long moment) {
		return this.asking && this.standing.sentAt() - moment <= 0;
	}

	/** Release a grant that is too old, and ask as another contender. */
	private void startOver(long token) {
		this.parts.releases().release(this.contender, token);
		this.contender = this.contenders.get();
		this.standing.startOver();
		this.known = false;
		askLater(LeaseBackoff.SHORTEST_PAUSE_NANOS, true);
	}

	private void queued(long holder) {
		long sentAt = this.standing.sentAt();
		this.renewal.keepWaiting(this.contender, sentAt);
		boolean told = this.standing.isToldOfReleases();
		askLater(this.backoff.behind(holder, sentAt, told), !told);
	}

	private void refused() {
		this.known = false;
		CompletableFuture<@Nullable Void> release = this.standing.takeReleaseInFront(lock());
		if (release != null) {
			release.thenRun(this::stopAsking).thenRun(this::ask);
			return;
		}
		end(() -> outcome().complete(Optional.empty()));
		stopAsking();
	}

	private void failed(Throwable ex) {
		this.standing.failed(ex);
		if (this.standing.isWorthAnotherQuestion(ex)) {
			askLater(this.backoff.afterFailure(), true);
			return;
		}
		stopAsking();
		fail(LeaseStoreException.failure(ex, lock()));
	}

	private void askLater(long nanos, boolean maybeEarlier) {
		boolean now;
		try {
			synchronized (this) {
				this.asking = false;
				now = this.askAgain;
				if (!isDecided() && !now) {
					this.backoff.plan(this::ask, nanos, maybeEarlier);
				}
			}
		}
		catch (Throwable ex) {
			fail(LeaseStoreException.failure(ex, lock()));
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

	private boolean end(Runnable completion) {
		synchronized (this) {
			if (!decide(completion)) {
				return false;
			}
			this.backoff.cancel();
		}
		complete();
		return true;
	}

	private void fail(Throwable failure) {
		if (end(() -> outcome().completeExceptionally(failure))) {
			forget();
		}
	}

	/** Fail, because the instance stops. */
	void close() {
		fail(LeaseStoreException.closed(lock()));
	}

	@Override
	public void abandon() {
		if (end(() -> outcome().cancel(false))) {
			forget();
		}
		complete();
	}

	private void forget() {
		boolean removes;
		synchronized (this) {
			if (!isDecided() || this.asking) {
				return;
			}
			removes = this.known;
			this.known = false;
		}
		if (removes) {
			leaveStore();
		}
		this.siblings.remove(this);
	}

	private void leaveStore() {
		this.renewal.stopWaiting(this.contender);
		this.parts.releases().release(this.contender);
	}

	@Override
	public Phase phase() {
		return this.standing.phase(this.contender);
	}

	@Override
	public boolean isToldOfOthers() {
		return this.standing.isToldOfOthers(this.contender, this.renewal.openHolds());
	}

	@Override
	public @Nullable Throwable obstacle() {
		return this.standing.obstacle();
	}

	/** The attempts of one instance. */
	interface Siblings {

		/**
		 * Give a grant to its attempt, or to another one if it comes too late, and tell
		 * those that were there before the receiver has the lock.
		 */
		void give(LeaseGrant grant, LeaseAttempt receiver);

		/**
		 * Return whether the store may have granted the lock before a moment to another
		 * attempt than one, whose question is not answered yet.
		 */
		boolean isAskedBefore(long moment, LeaseAttempt except);

		void remove(LeaseAttempt attempt);

	}

}

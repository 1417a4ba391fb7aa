package io.interlock.queue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.interlock.LockId;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.queue.QueuedAttempt.Waiters;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one lock in this JVM: its waiters in the order of their arrival, the
 * tenure that is open to them, and their contender in the lock service. Invariants:
 * <ul>
 * <li>At most one tenure is open, which means that its grant may be handed over or
 * joined, and at most one contender is under way: of two, the one that is not in front
 * here any more is about to be cancelled. A tenure that is not open any more only waits
 * for its holders to leave. A semaphore has several permits at once, so the tenure of a
 * permit is never open: when its holder leaves, it goes to the first waiter, or is
 * released.
 * <li>While there are waiters, there is a contender in the mode of the first of them, or
 * an open and valid tenure, not kept, that the first of them can be given when its
 * holders leave: {@link #settle} restores this after every change.
 * <li>No caller barges: one that comes while others wait, waits behind them.
 * <li>A grant is handed over only after its holders have left, and only while it is
 * valid, young and not handed over too often; age and number do not count while it is
 * known that no other contender stands behind it.
 * <li>An idle tenure is open and has no waiters.
 * <li>Under the {@link QueueLock} nothing is called that may block or call back: that is
 * an effect of the change, and runs afterwards.
 * </ul>
 */
final class LockQueue {

	private final LockId id;

	private final LockProvider provider;

	private final QueueSettings settings;

	private final Duration linger;

	private final Consumer<LockQueue> onUnused;

	private final QueueLock lock = new QueueLock(this::settle);

	private final Waiters waiters;

	private @Nullable Tenure open;

	private QueuedAttempt.@Nullable Front front;

	private int permits;

	private boolean removed;

	/** When another caller was last known to hold the lock, unless a tenure is open. */
	private long takenUntil = System.nanoTime();

	LockQueue(LockId id, LockProvider provider, QueueSettings settings, Consumer<LockQueue> onUnused) {
		this.id = id;
		this.provider = provider;
		this.settings = settings;
		this.linger = settings.linger(id.name());
		this.onUnused = onUnused;
		this.waiters = new Waiters(settings.maxWaiting());
	}

	/** Let a caller join or wait, or return {@code false} if this queue is out of use. */
	boolean enqueue(QueuedAttempt waiter) {
		return changeIfInUse((effects) -> {
			if (!join(waiter, effects)) {
				this.waiters.add(waiter, effects);
			}
			return true;
		});
	}

	/** Refuse a caller that does not wait, or return {@code false} to ask the service. */
	boolean tryLocally(QueuedAttempt waiter) {
		return changeIfInUse((effects) -> {
			if (join(waiter, effects)) {
				return true;
			}
			endIfIdle(this.open, effects);
			boolean taken = (this.open != null && this.open.isInTheWayOf(waiter.mode()))
					|| waiter.isBehindOthers(this.front);
			if (taken) {
				waiter.answer(Optional.empty(), effects);
			}
			return taken;
		});
	}

	private boolean changeIfInUse(Predicate<List<Runnable>> change) {
		return this.lock.changeAndGet((effects) -> !this.removed && change.test(effects));
	}

	/**
	 * Give the idle tenure to a caller, or let a reader share one, unless others wait.
	 */
	private boolean join(QueuedAttempt waiter, List<Runnable> effects) {
		Tenure tenure = this.open;
		if (tenure == null || this.waiters.first() != null || !tenure.admits(waiter.mode(), !tenure.isIdle())
				|| !tenure.isGood(this.settings)) {
			return false;
		}
		return tenure.grant(waiter, false, effects);
	}

	/**
	 * Take over the grant of a try, which does not wait in this queue, or return {@code
	 * null} if this queue is out of use.
	 */
	@Nullable TenureGrant adopt(LockGrant grant) {
		Tenure tenure = new Tenure(grant);
		TenureGrant holder = new TenureGrant(this, tenure, grant.request(), grant.contended());
		tenure.add(holder);
		boolean adopted = changeIfInUse((effects) -> {
			if (tenure.isPermit() || (this.front == null && (this.open == null || this.open.isKept()))) {
				register(tenure);
			}
			return true;
		});
		if (adopted) {
			grant.onStateChange((state) -> stateChanged(tenure, state));
		}
		return adopted ? holder : null;
	}

	private void register(Tenure tenure) {
		if (tenure.isPermit()) {
			this.permits++;
		}
		else {
			this.open = tenure;
		}
	}

	private void deregister(Tenure tenure) {
		if (tenure.isPermit()) {
			this.permits--;
		}
		else {
			this.open = null;
		}
	}

	void remove(QueuedAttempt waiter) {
		this.lock.change((effects) -> this.waiters.remove(waiter));
	}

	/** Let a holder leave. The caller releases the grant if this returns {@code true}. */
	boolean leave(TenureGrant holder) {
		Tenure tenure = holder.tenure();
		return this.lock.changeAndGet((effects) -> {
			if (!holder.end() || !tenure.leave(holder)) {
				return false;
			}
			if (!tenure.isKept()) {
				this.takenUntil = System.nanoTime();
			}
			if (this.open != tenure && !tenure.isPermit()) {
				return true;
			}
			boolean handedOver = tenure.mayBeHandedOver(this.settings) && tenure.serve(this.waiters, true, effects);
			if (handedOver || linger(tenure, effects)) {
				return false;
			}
			deregister(tenure);
			return true;
		});
	}

	/** Let a tenure go on without its holder. Others ask the service from now on. */
	boolean reserve(TenureGrant holder) {
		return this.lock.changeAndGet((effects) -> {
			this.takenUntil = System.nanoTime();
			return holder.tenure().reserveFor(holder);
		});
	}

	/**
	 * Leave a tenure open without a holder, if that is allowed. It ends after the linger
	 * time, when another contender comes, or when its grant is no longer known to be
	 * valid.
	 */
	private boolean linger(Tenure tenure, List<Runnable> effects) {
		if (this.linger.isZero() || this.waiters.first() != null || !tenure.mayBeIdle()) {
			return false;
		}
		if (!tenure.isWatched()) {
			effects.add(() -> tenure.grant().onContention(() -> contended(tenure)));
		}
		tenure.becomeIdle();
		expectExpiry(tenure, effects);
		return true;
	}

	/** Schedule one check at a time, however often the tenure becomes idle until then. */
	private void expectExpiry(Tenure tenure, List<Runnable> effects) {
		if (tenure.expectExpiry()) {
			Executor later = CompletableFuture.delayedExecutor(tenure.nanosToExpiry(this.linger), TimeUnit.NANOSECONDS);
			effects.add(() -> later.execute(() -> checkExpiry(tenure)));
		}
	}

	private void checkExpiry(Tenure tenure) {
		this.lock.change((effects) -> {
			tenure.expiryChecked();
			if (tenure.nanosToExpiry(this.linger) <= 0) {
				endIfIdle(tenure, effects);
			}
			else if (this.open == tenure && tenure.isIdle()) {
				expectExpiry(tenure, effects);
			}
		});
	}

	private void contended(Tenure tenure) {
		this.lock.change((effects) -> {
			tenure.contend();
			endIfIdle(tenure, effects);
		});
	}

	void endIfIdle() {
		this.lock.change((effects) -> endIfIdle(this.open, effects));
	}

	private void endIfIdle(@Nullable Tenure tenure, List<Runnable> effects) {
		if (tenure != null && this.open == tenure && tenure.isIdle()) {
			this.open = null;
			effects.add(tenure.grant()::release);
		}
	}

	void granted(LockGrant grant, QueuedAttempt.Front ended) {
		give(grant, ended, true);
	}

	void failed(Throwable failure, QueuedAttempt.Front ended) {
		this.lock.change((effects) -> {
			if (this.front == ended) {
				this.waiters.failAll(failure, effects);
			}
		});
	}

	private void give(LockGrant grant, QueuedAttempt.Front expected, boolean ended) {
		Tenure tenure = new Tenure(grant);
		boolean served = this.lock.changeAndGet((effects) -> {
			if (this.front != expected) {
				return false;
			}
			if (ended) {
				this.front = null;
			}
			if (!tenure.serve(this.waiters, grant.contended(), effects)) {
				return false;
			}
			register(tenure);
			return true;
		});
		if (served) {
			TenureGrant.listen(grant, (state) -> stateChanged(tenure, state));
		}
		else {
			grant.release();
		}
	}

	/**
	 * Give a grant to the callers that waited here before it was asked for, if any. Their
	 * contender keeps its place in the lock service as long as they need it.
	 */
	boolean giveToWaiters(LockGrant grant, long askedAt) {
		QueuedAttempt.Front overtaken = this.lock.call(() -> this.waiters.cameBefore(askedAt) ? this.front : null);
		if (overtaken != null) {
			give(grant, overtaken, false);
		}
		return overtaken != null;
	}

	private void stateChanged(Tenure tenure, LockState state) {
		List<TenureGrant> holders = this.lock.changeAndGet((effects) -> {
			if (state != LockState.VALID) {
				endIfIdle(tenure, effects);
			}
			if (state == LockState.LOST && this.open == tenure) {
				this.open = null;
			}
			return tenure.holders();
		});
		TenureGrant.tellAll(holders, state);
	}

	/**
	 * Make sure that the first waiter will be served, and that no contender is under way
	 * without a waiter. A tenure that is not known to be valid stays open, but the
	 * waiters get a contender beside it, because a provider that does not wait for the
	 * lock service must be able to refuse them. So do they beside one that is kept: the
	 * service knows when it is freed elsewhere.
	 */
	private void settle(List<Runnable> effects) {
		QueuedAttempt first = this.waiters.first();
		if (first != null) {
			endIfIdle(this.open, effects);
			if (this.open != null && !this.open.isExclusive()) {
				// No reader joins past a waiter, so the waiters need a contender.
				this.open = null;
			}
		}
		QueuedAttempt contending = (this.open == null || !this.open.mayServe()) ? first : null;
		QueuedAttempt.Front current = this.front;
		boolean stands = current != null && contending != null && current.standsFor(contending);
		if (!stands) {
			this.front = (contending != null) ? new QueuedAttempt.Front(contending, this.provider) : null;
			if (this.front != null) {
				effects.add(this.front::begin);
			}
			if (current != null) {
				if (current.phase() == Phase.QUEUED) {
					this.takenUntil = System.nanoTime();
				}
				effects.add(current::cancel);
			}
		}
		if (first == null && this.open == null && this.permits == 0 && !this.removed) {
			this.removed = true;
			this.onUnused.accept(this);
		}
	}

	Phase phase(QueuedAttempt waiter) {
		return this.lock.call(() -> {
			boolean held = this.open != null && this.open.isHeld();
			return waiter.phase(this.front, held, this.takenUntil);
		});
	}

	@Nullable Throwable obstacle() {
		return this.lock.call(() -> (this.front != null) ? this.front.obstacle() : null);
	}

	QueueSnapshot snapshot() {
		return this.lock.call(() -> (this.open != null) ? this.open.snapshot(this.waiters.size())
				: new QueueSnapshot(this.id, this.waiters.size(), 0, null, 0, Duration.ZERO));
	}

}

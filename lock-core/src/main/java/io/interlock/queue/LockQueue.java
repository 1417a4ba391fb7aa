package io.interlock.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

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
 * joined, and at most one contender is under way. A tenure that is not open any more only
 * waits for its holders to leave. A semaphore has several permits at once, so the tenure
 * of a permit is never open: when its holder leaves, it goes to the first waiter, or is
 * released.
 * <li>While there are waiters, there is a contender that could serve the first of them,
 * or an open and valid tenure that the first of them can be given when its holders leave:
 * {@link #settle} restores this after every change.
 * <li>Nothing barges: a caller that comes while others wait, waits behind them.
 * <li>A grant is handed over only after its holders have left, and only while it is
 * valid, young and not handed over too often; age and number do not count while it is
 * known that no other contender stands behind it.
 * <li>An idle tenure is open and has no waiters.
 * <li>Under the lock nothing is called that may block or call back: what a change asks
 * for is collected and done afterwards.
 * </ul>
 */
final class LockQueue {

	private final LockId id;

	private final LockProvider provider;

	private final QueueSettings settings;

	private final Duration linger;

	private final Consumer<LockQueue> onUnused;

	private final ReentrantLock lock = new ReentrantLock();

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
		return change((effects) -> {
			if (!this.removed && !join(waiter, effects)) {
				this.waiters.add(waiter, effects);
			}
			return !this.removed;
		});
	}

	boolean tryLocally(QueuedAttempt waiter) {
		return change((effects) -> {
			if (this.removed || join(waiter, effects)) {
				return !this.removed;
			}
			endIfIdle(this.open, effects);
			boolean taken = (this.open != null && this.open.isInTheWayOf(waiter.mode()))
					|| (this.front != null && this.front.phase() == Phase.QUEUED);
			if (taken) {
				waiter.answer(Optional.empty(), effects);
			}
			return taken;
		});
	}

	/** Let a caller have the idle tenure, or a reader share one, unless others wait. */
	private boolean join(QueuedAttempt waiter, List<Runnable> effects) {
		Tenure tenure = this.open;
		if (tenure == null || this.waiters.first() != null || !tenure.admits(waiter.mode(), !tenure.isIdle())
				|| !tenure.isGood(this.settings)) {
			return false;
		}
		return tenure.grant(waiter, false, effects);
	}

	/** Take over a grant past the waiters, {@code null} if this is out of use. */
	@Nullable TenureGrant adopt(LockGrant grant) {
		Tenure tenure = new Tenure(grant);
		TenureGrant holder = new TenureGrant(this, tenure, grant.request(), grant.contended());
		tenure.add(holder);
		boolean adopted = change((effects) -> {
			boolean keeps = tenure.isPermit() || (this.open == null && this.front == null);
			return !this.removed && (!keeps || keep(tenure));
		});
		if (adopted) {
			grant.onStateChange((state) -> stateChanged(tenure, state));
		}
		return adopted ? holder : null;
	}

	private boolean keep(Tenure tenure) {
		this.permits += tenure.isPermit() ? 1 : 0;
		this.open = tenure.isPermit() ? this.open : tenure;
		return true;
	}

	void remove(QueuedAttempt waiter) {
		change((effects) -> this.waiters.remove(waiter));
	}

	/** Let a holder leave. The caller releases the grant if this returns {@code true}. */
	boolean leave(TenureGrant holder) {
		Tenure tenure = holder.tenure();
		return change((effects) -> {
			if (!holder.end() || !tenure.leave(holder)) {
				return false;
			}
			// A waiter that comes later was not behind this holder.
			this.takenUntil = (this.waiters.first() != null) ? System.nanoTime() : this.takenUntil;
			if (this.open != tenure && !tenure.isPermit()) {
				return true;
			}
			boolean goesOn = (tenure.mayBeHandedOver(this.settings) && tenure.serve(this.waiters, true, effects))
					|| linger(tenure, effects);
			this.open = (goesOn || tenure.isPermit()) ? this.open : null;
			this.permits -= (goesOn || !tenure.isPermit()) ? 0 : 1;
			return !goesOn;
		});
	}

	boolean keep(TenureGrant holder) {
		return locked(() -> holder.tenure().keep(holder));
	}

	/**
	 * Keep a tenure open without a holder, until it was idle for the linger time, another
	 * contender comes, or its grant is not known to be valid any more.
	 */
	private boolean linger(Tenure tenure, List<Runnable> effects) {
		if (this.linger.isZero() || this.waiters.first() != null || !tenure.mayBeIdle()) {
			return false;
		}
		if (tenure.idle()) {
			effects.add(() -> tenure.grant().onContention(() -> contended(tenure)));
		}
		expectExpiry(tenure, effects);
		return true;
	}

	/** Plan one look: the tenure may be used meanwhile, so one serves many uses. */
	private void expectExpiry(Tenure tenure, List<Runnable> effects) {
		if (tenure.expectExpiry()) {
			Executor later = CompletableFuture.delayedExecutor(tenure.nanosToExpiry(this.linger), TimeUnit.NANOSECONDS);
			effects.add(() -> later.execute(() -> checkExpiry(tenure)));
		}
	}

	private void checkExpiry(Tenure tenure) {
		change((effects) -> {
			tenure.expiryChecked();
			boolean expired = tenure.nanosToExpiry(this.linger) <= 0 && endIfIdle(tenure, effects);
			if (!expired && this.open == tenure && tenure.isIdle()) {
				expectExpiry(tenure, effects);
			}
			return expired;
		});
	}

	private void contended(Tenure tenure) {
		change((effects) -> {
			tenure.contend();
			return endIfIdle(tenure, effects);
		});
	}

	void endIfIdle() {
		change((effects) -> endIfIdle(this.open, effects));
	}

	private boolean endIfIdle(@Nullable Tenure tenure, List<Runnable> effects) {
		if (tenure == null || this.open != tenure || !tenure.isIdle()) {
			return false;
		}
		this.open = null;
		effects.add(tenure.grant()::release);
		return true;
	}

	/** Called once for each contender, with a grant or a failure. */
	void ended(QueuedAttempt.Front ended, @Nullable LockGrant grant, @Nullable Throwable failure) {
		if (grant != null) {
			give(grant, ended, true);
		}
		else if (failure != null) {
			change((effects) -> this.front == ended && this.waiters.failAll(failure, effects));
		}
	}

	private void give(LockGrant grant, QueuedAttempt.Front expected, boolean ended) {
		Tenure tenure = new Tenure(grant);
		boolean served = change((effects) -> {
			boolean serves = this.front == expected;
			this.front = (serves && ended) ? null : this.front;
			return serves && tenure.serve(this.waiters, grant.contended(), effects) && keep(tenure);
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
		QueuedAttempt.Front overtaken = locked(() -> this.waiters.cameBefore(askedAt) ? this.front : null);
		if (overtaken != null) {
			give(grant, overtaken, false);
		}
		return overtaken != null;
	}

	private void stateChanged(Tenure tenure, LockState state) {
		List<TenureGrant> holders = change((effects) -> {
			if (state != LockState.VALID) {
				endIfIdle(tenure, effects);
			}
			this.open = (state == LockState.LOST && this.open == tenure) ? null : this.open;
			return tenure.holders();
		});
		TenureGrant.tellAll(holders, state);
	}

	private <T> T change(Function<List<Runnable>, T> change) {
		List<Runnable> effects = new ArrayList<>(2);
		try {
			return locked(() -> {
				T changed = change.apply(effects);
				settle(effects);
				return changed;
			});
		}
		finally {
			// A waiter may be decided even if an error has interrupted the change.
			runAll(effects.iterator());
		}
	}

	/** A waiter may depend on each effect, so all are run even if some fail. */
	private static void runAll(Iterator<Runnable> effects) {
		try {
			while (effects.hasNext()) {
				effects.next().run();
			}
		}
		finally {
			if (effects.hasNext()) {
				runAll(effects);
			}
		}
	}

	/**
	 * Make sure that the first waiter will be served, and that no contender is under way
	 * without a waiter. An unconfirmed tenure stays open, but the waiters have a
	 * contender beside it: a provider that does not wait for the service refuses them.
	 */
	private void settle(List<Runnable> effects) {
		QueuedAttempt first = this.waiters.first();
		if (first != null && !endIfIdle(this.open, effects) && this.open != null && !this.open.isExclusive()) {
			// Nothing joins any more, and the next ones need a node of their own.
			this.open = null;
		}
		QueuedAttempt contending = (this.open == null || !this.open.isValid()) ? first : null;
		QueuedAttempt.Front current = this.front;
		if (current != null && (contending == null || !current.serves(contending.mode()))) {
			this.front = null;
			this.takenUntil = (current.phase() == Phase.QUEUED) ? System.nanoTime() : this.takenUntil;
			effects.add(current::cancel);
		}
		if (contending != null && this.front == null) {
			this.front = new QueuedAttempt.Front(contending, this.provider);
			effects.add(this.front::begin);
		}
		if (first == null && this.open == null && this.permits == 0 && !this.removed) {
			this.removed = true;
			this.onUnused.accept(this);
		}
	}

	Phase phase(QueuedAttempt waiter) {
		return locked(() -> {
			if (this.open != null && this.open.grant().state() != LockState.LOST) {
				return Phase.QUEUED;
			}
			Phase phase = (this.front != null) ? this.front.phase() : Phase.CONNECTING;
			return (phase == Phase.CREATING && waiter.stoodBehindOthers(this.takenUntil)) ? Phase.QUEUED : phase;
		});
	}

	@Nullable Throwable obstacle() {
		return locked(() -> (this.front != null) ? this.front.obstacle() : null);
	}

	QueueSnapshot snapshot() {
		return locked(() -> (this.open != null) ? this.open.snapshot(this.waiters.size())
				: new QueueSnapshot(this.id, this.waiters.size(), 0, null, 0, Duration.ZERO));
	}

	private <T extends @Nullable Object> T locked(Supplier<T> action) {
		this.lock.lock();
		try {
			return action.get();
		}
		finally {
			this.lock.unlock();
		}
	}

}

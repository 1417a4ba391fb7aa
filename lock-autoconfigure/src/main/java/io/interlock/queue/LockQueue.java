package io.interlock.queue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

import io.interlock.LockAttempt.Phase;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one lock in this JVM. Invariants:
 * <ul>
 * <li>At most one attempt is under way, and at most one tenure is open, which means that
 * its grant may be handed over or joined. A tenure that is not open any more only waits
 * for its holders to leave.
 * <li>If somebody waits, there is an attempt that could serve the first waiter, or an
 * open tenure that he can be given when its holders leave. Nobody waits for nothing.
 * <li>Nobody barges: who comes while others wait, waits behind them.
 * <li>A grant is handed over only while it is valid, young and not handed over too often,
 * and after its holders have left.
 * <li>Under the lock nothing is called that may block or call back: what a change asks
 * for is collected and done afterwards.
 * </ul>
 */
final class LockQueue {

	private final LockId id;

	private final LockProvider provider;

	private final QueueSettings settings;

	private final Consumer<LockQueue> onIdle;

	private final BooleanSupplier refusing;

	private final ReentrantLock lock = new ReentrantLock();

	private final Deque<Waiter> waiters = new ArrayDeque<>(4);

	private @Nullable Tenure open;

	private @Nullable Contention contention;

	private boolean removed;

	LockQueue(LockId id, LockProvider provider, QueueSettings settings, Consumer<LockQueue> onIdle,
			BooleanSupplier refusing) {
		this.id = id;
		this.provider = provider;
		this.settings = settings;
		this.onIdle = onIdle;
		this.refusing = refusing;
	}

	LockId id() {
		return this.id;
	}

	/**
	 * Let somebody join the holders, or wait.
	 * @param waiter who
	 * @param first whether he goes before everybody else
	 * @return {@code false} if this queue is not in use any more
	 */
	boolean enqueue(Waiter waiter, boolean first) {
		return change((effects) -> {
			if (this.removed) {
				return false;
			}
			if (!join(waiter, effects)) {
				if (first) {
					this.waiters.addFirst(waiter);
				}
				else if (this.waiters.size() >= this.settings.maxWaiting()) {
					fail(waiter, Refusals.tooManyWaiting(this.id, this.settings.maxWaiting()), effects);
				}
				else {
					this.waiters.addLast(waiter);
				}
			}
			return true;
		});
	}

	/**
	 * Answer a try from what this JVM knows.
	 * @param waiter who tries
	 * @return whether it was answered; otherwise the provider has to be asked
	 */
	boolean tryLocally(Waiter waiter) {
		return change((effects) -> {
			if (this.refusing.getAsBoolean() || this.removed) {
				return false;
			}
			if (join(waiter, effects)) {
				return true;
			}
			boolean taken = (this.open != null && this.open.isInTheWayOf(waiter.mode()))
					|| (this.contention != null && this.contention.phase() == Phase.QUEUED);
			if (taken && waiter.decide()) {
				effects.add(waiter::refuse);
			}
			return taken;
		});
	}

	/**
	 * Take part in what readers of this JVM hold.
	 */
	private boolean join(Waiter waiter, List<Runnable> effects) {
		Tenure tenure = this.open;
		if (tenure == null || !tenure.isShared() || waiter.mode() != LockMode.SHARED || firstWaiter() != null
				|| !isGood(tenure) || !waiter.decide()) {
			return false;
		}
		grant(waiter, tenure, false, effects);
		return true;
	}

	/**
	 * Make a tenure of a grant that was got past this queue.
	 * @param grant the grant
	 * @return what its holder has of it, or {@code null} if this queue is not in use any
	 * more
	 */
	@Nullable TenureHandle adopt(LockHandle grant) {
		Tenure tenure = new Tenure(grant);
		tenure.begin();
		TenureHandle holder = new TenureHandle(this, tenure, grant.mode(), grant.contended());
		boolean adopted = change((effects) -> {
			if (!this.removed) {
				tenure.add(holder);
				this.open = (this.open == null && this.contention == null) ? tenure : this.open;
			}
			return !this.removed;
		});
		if (adopted) {
			grant.onLoss(() -> lost(tenure));
		}
		return adopted ? holder : null;
	}

	/**
	 * Forget somebody who has given up.
	 */
	void remove(Waiter waiter) {
		change((effects) -> this.waiters.remove(waiter));
	}

	/**
	 * Refuse everybody who waits.
	 * @param failure what to tell them
	 */
	void failAll(Throwable failure) {
		change((effects) -> failAll(failure, effects));
	}

	private boolean failAll(Throwable failure, List<Runnable> effects) {
		this.waiters.forEach((waiter) -> fail(waiter, failure, effects));
		this.waiters.clear();
		return true;
	}

	private static void fail(Waiter waiter, Throwable failure, List<Runnable> effects) {
		if (waiter.decide()) {
			effects.add(() -> waiter.fail(failure));
		}
	}

	/**
	 * Let a holder go, and the next ones take over.
	 * @param holder who has finished
	 * @return whether the tenure is over, so that its grant must be ended
	 */
	boolean leave(TenureHandle holder) {
		Tenure tenure = holder.tenure();
		return change((effects) -> {
			if (!tenure.leave(holder)) {
				return false;
			}
			if (this.open != tenure) {
				return true;
			}
			boolean handedOver = isGood(tenure) && tenure.handoffs() < this.settings.maxHandoffs()
					&& serve(tenure, true, effects);
			if (!handedOver) {
				this.open = null;
			}
			return !handedOver;
		});
	}

	private boolean isGood(Tenure tenure) {
		return tenure.isYoungerThan(this.settings.maxTenure()) && tenure.grant().isValid()
				&& !this.refusing.getAsBoolean();
	}

	/**
	 * Give a tenure to the first waiter and, if he shares it, to those who share it with
	 * him.
	 * @return {@code false} if it is of no use to the first waiter, or nobody waits
	 */
	private boolean serve(Tenure tenure, boolean contended, List<Runnable> effects) {
		boolean served = false;
		for (Waiter next = firstWaiter(); next != null && tenure.admits(next.mode(), served); next = firstWaiter()) {
			this.waiters.removeFirst();
			if (next.decide()) {
				if (!served) {
					tenure.begin();
				}
				grant(next, tenure, contended, effects);
				served = true;
			}
		}
		return served;
	}

	private void grant(Waiter waiter, Tenure tenure, boolean contended, List<Runnable> effects) {
		TenureHandle holder = new TenureHandle(this, tenure, waiter.mode(), contended);
		tenure.add(holder);
		effects.add(() -> waiter.grant(holder));
	}

	private void ended(Contention ended, @Nullable Optional<LockHandle> grant, @Nullable Throwable failure) {
		Tenure tenure = (grant != null) ? grant.map(Tenure::new).orElse(null) : null;
		boolean served = change((effects) -> {
			if (this.contention != ended) {
				return false;
			}
			this.contention = null;
			if (tenure == null) {
				return failAll(Refusals.failed(this.id, failure), effects);
			}
			if (serve(tenure, tenure.grant().contended(), effects)) {
				this.open = tenure;
			}
			return this.open == tenure;
		});
		if (tenure != null && served) {
			tenure.grant().onLoss(() -> lost(tenure));
		}
		else if (tenure != null) {
			tenure.grant().closeAsync();
		}
	}

	private void lost(Tenure tenure) {
		List<TenureHandle> holders = change((effects) -> {
			this.open = (this.open != tenure) ? this.open : null;
			return tenure.holders();
		});
		// What one of them does about it must not keep the news from the others.
		holders.stream().skip(1).forEach((holder) -> new Thread(holder::lose, "interlock-loss").start());
		holders.get(0).lose();
	}

	/**
	 * Change something, bring the rest in line, and do afterwards what that asks for.
	 */
	private <T> T change(Function<List<Runnable>, T> change) {
		List<Runnable> effects = new ArrayList<>(2);
		T result;
		this.lock.lock();
		try {
			result = change.apply(effects);
			settle(effects);
		}
		finally {
			this.lock.unlock();
		}
		effects.forEach(Runnable::run);
		return result;
	}

	/**
	 * See to it that somebody who waits is going to be served, and nothing is under way
	 * for nobody.
	 */
	private void settle(List<Runnable> effects) {
		Waiter first = firstWaiter();
		Tenure tenure = this.open;
		if (first != null && tenure != null
				&& !(tenure.grant().mode() == LockMode.EXCLUSIVE && tenure.grant().isValid())) {
			// Nobody joins any more, and the next ones need a node of their own.
			this.open = null;
		}
		Contention current = this.contention;
		if (current != null && (first == null || !current.serves(first.mode()))) {
			this.contention = null;
			effects.add(current::cancel);
		}
		if (first != null && this.open == null && this.contention == null) {
			Contention next = new Contention(first);
			this.contention = next;
			effects.add(() -> next.begin(this.provider, this::ended));
		}
		if (first == null && this.open == null && !this.removed) {
			this.removed = true;
			this.onIdle.accept(this);
		}
	}

	private @Nullable Waiter firstWaiter() {
		Waiter first = this.waiters.peekFirst();
		while (first != null && !first.isUndecided()) {
			this.waiters.removeFirst();
			first = this.waiters.peekFirst();
		}
		return first;
	}

	/**
	 * Return what somebody who gives up now was waiting for.
	 * @return the phase
	 */
	Phase phase() {
		this.lock.lock();
		try {
			if (this.open != null && !this.open.grant().isLost()) {
				return Phase.QUEUED;
			}
			return (this.contention != null) ? this.contention.phase() : Phase.CONNECTING;
		}
		finally {
			this.lock.unlock();
		}
	}

	QueueSnapshot snapshot() {
		this.lock.lock();
		try {
			Tenure tenure = this.open;
			return (tenure != null) ? tenure.snapshot(this.waiters.size())
					: new QueueSnapshot(this.id, this.waiters.size(), 0, null, 0, Duration.ZERO);
		}
		finally {
			this.lock.unlock();
		}
	}

}

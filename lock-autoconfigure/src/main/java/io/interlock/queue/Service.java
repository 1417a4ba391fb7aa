package io.interlock.queue;

import java.util.List;
import java.util.function.BooleanSupplier;

import io.interlock.LockMode;

/**
 * Gives tenures to those who wait: who may have one, and for how long it goes from hand
 * to hand. Invariant: a grant is handed over only while it is valid, young and not handed
 * over too often, and only to those at the front whom it can serve. Guarded by the lock
 * of its queue.
 */
final class Service {

	private final LockQueue queue;

	private final WaitingLine waiters;

	private final QueueSettings settings;

	private final BooleanSupplier refusing;

	Service(LockQueue queue, WaitingLine waiters, QueueSettings settings, BooleanSupplier refusing) {
		this.queue = queue;
		this.waiters = waiters;
		this.settings = settings;
		this.refusing = refusing;
	}

	/**
	 * Let a reader take part in what readers of this JVM hold, unless somebody waits.
	 * @return whether he does
	 */
	boolean join(Tenure tenure, Waiter waiter, List<Runnable> effects) {
		if (!tenure.isShared() || waiter.mode() != LockMode.SHARED || this.waiters.first() != null || !isGood(tenure)
				|| !waiter.decide()) {
			return false;
		}
		grant(waiter, tenure, false, effects);
		return true;
	}

	/**
	 * Give a tenure whose holders have left to the next ones.
	 * @return {@code false} if it is over, or nobody waits whom it could serve
	 */
	boolean handOver(Tenure tenure, List<Runnable> effects) {
		return isGood(tenure) && tenure.handoffs() < this.settings.maxHandoffs() && serve(tenure, true, effects);
	}

	private boolean isGood(Tenure tenure) {
		return tenure.isYoungerThan(this.settings.maxTenure()) && tenure.grant().isValid() && !isRefusing();
	}

	boolean isRefusing() {
		return this.refusing.getAsBoolean();
	}

	/**
	 * Give a tenure to the first waiter and, if he shares it, to those who share it with
	 * him.
	 * @return {@code false} if it is of no use to the first waiter, or nobody waits
	 */
	boolean serve(Tenure tenure, boolean contended, List<Runnable> effects) {
		boolean served = false;
		for (Waiter next = this.waiters.first(); next != null
				&& tenure.admits(next.mode(), served); next = this.waiters.first()) {
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
		TenureHandle holder = new TenureHandle(this.queue, tenure, waiter.mode(), contended);
		tenure.add(holder);
		effects.add(() -> waiter.grant(holder));
	}

}

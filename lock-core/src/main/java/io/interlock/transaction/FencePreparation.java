package io.interlock.transaction;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/** What is to be done once before the first transaction, by whichever thread is there. */
final class FencePreparation {

	private final Lock lock = new ReentrantLock();

	private volatile @Nullable Runnable pending;

	void set(Runnable preparation) {
		this.pending = preparation;
	}

	/** Do it, if it was not done. What fails is done again by the next transaction. */
	void run() {
		if (this.pending == null) {
			return;
		}
		this.lock.lock();
		try {
			Runnable preparation = this.pending;
			if (preparation != null) {
				preparation.run();
				this.pending = null;
			}
		}
		finally {
			this.lock.unlock();
		}
	}

}

package io.interlock.transaction;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/** What is to be done once before the first transaction, by whichever thread is there. */
final class FencePreparation {

	private final Lock lock = new ReentrantLock();

	private volatile @Nullable BooleanSupplier pending;

	void set(BooleanSupplier preparation) {
		this.pending = preparation;
	}

	/** Do it, if it was not done. The next transaction does again what has failed. */
	void run() {
		if (this.pending == null) {
			return;
		}
		this.lock.lock();
		try {
			BooleanSupplier preparation = this.pending;
			if (preparation != null && preparation.getAsBoolean()) {
				this.pending = null;
			}
		}
		finally {
			this.lock.unlock();
		}
	}

}

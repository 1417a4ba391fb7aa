package io.interlock.benchmark.scenario;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.interlock.benchmark.contestant.Locks;
import org.jspecify.annotations.Nullable;

/**
 * Threads that lock one key after the other, each key once.
 */
final class KeyLoad {

	private final Thread[] threads;

	private final AtomicLong next = new AtomicLong();

	private final AtomicLong done = new AtomicLong();

	private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

	/**
	 * Start the threads.
	 * @param locks what they lock with
	 * @param prefix how all keys begin
	 * @param keys how many keys
	 * @param threads how many threads
	 */
	KeyLoad(Locks locks, String prefix, long keys, int threads) {
		this.threads = new Thread[threads];
		for (int i = 0; i < threads; i++) {
			this.threads[i] = new Thread(() -> work(locks, prefix, keys), "keys");
			this.threads[i].setDaemon(true);
			this.threads[i].start();
		}
	}

	private void work(Locks locks, String prefix, long keys) {
		for (long key = this.next.getAndIncrement(); key < keys; key = this.next.getAndIncrement()) {
			try {
				locks.exclusively(prefix + key, this.done::incrementAndGet);
			}
			catch (Exception ex) {
				this.failure.compareAndSet(null, ex);
				return;
			}
		}
	}

	long done() {
		return this.done.get();
	}

	void awaitEnd() throws InterruptedException {
		awaitEnd(TimeUnit.HOURS.toNanos(1));
	}

	/**
	 * Wait for the last key.
	 * @param nanos how long at the most
	 * @return whether all threads have ended
	 * @throws IllegalStateException if a key could not be locked
	 */
	boolean awaitEnd(long nanos) throws InterruptedException {
		long deadline = System.nanoTime() + nanos;
		boolean ended = true;
		for (Thread thread : this.threads) {
			thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
			ended &= !thread.isAlive();
		}
		Exception cause = this.failure.get();
		if (cause != null) {
			throw new IllegalStateException("A key cannot be locked: " + cause, cause);
		}
		return ended;
	}

}

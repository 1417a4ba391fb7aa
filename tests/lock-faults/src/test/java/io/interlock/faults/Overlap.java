package io.interlock.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.interlock.LockRequest;
import io.interlock.faults.worker.Held;
import io.interlock.faults.worker.Locks;

/**
 * A holder that looks all the time whether it still holds, and somebody else who wants
 * the lock: how long both of them believed to have it.
 */
final class Overlap {

	private static final Duration LONGEST_WAIT = Duration.ofMinutes(2);

	private Overlap() {
	}

	/**
	 * Let somebody else wait for a lock, and watch the holder until it is granted.
	 * @param held what the holder has
	 * @param taker who wants it
	 * @param key which lock
	 * @return milliseconds from the grant to the last moment at which the holder was told
	 * that it holds the lock; negative if it was told otherwise before
	 */
	static double measure(Held held, Locks taker, String key) {
		CompletableFuture<Long> granted = CompletableFuture.supplyAsync(() -> {
			Held next = taker.acquire(key, false, LockRequest.FOREVER).held();
			long at = System.nanoTime();
			if (next == null) {
				throw new IllegalStateException("Not granted");
			}
			next.close();
			return at;
		}, (task) -> new Thread(task, "taker").start());
		long startedAt = System.nanoTime();
		long lastValid = startedAt;
		while (!granted.isDone()) {
			lastValid = look(held, lastValid);
			if (System.nanoTime() - startedAt > LONGEST_WAIT.toNanos()) {
				throw new AssertionError("Nobody was granted the lock within " + LONGEST_WAIT);
			}
		}
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
		while (System.nanoTime() < end) {
			lastValid = look(held, lastValid);
		}
		return (lastValid - granted.join()) / 1e6;
	}

	private static long look(Held held, long lastValid) {
		long before = System.nanoTime();
		boolean valid = held.isValid();
		LockSupport.parkNanos(500_000);
		return valid ? before : lastValid;
	}

}

package io.interlock.zookeeper.internal.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A counter that loses counts, and shows half of one, unless a lock excludes its users.
 */
public final class UnguardedCounter {

	private final AtomicInteger inside = new AtomicInteger();

	private int before;

	private int after;

	void increment() {
		increment(0);
	}

	/**
	 * Count, and take some time for it.
	 * @param nanos how long
	 */
	void increment(long nanos) {
		if (this.inside.incrementAndGet() != 1) {
			throw new IllegalStateException("Two count at once");
		}
		int read = this.before;
		this.before = read + 1;
		LockSupport.parkNanos(nanos);
		this.after = read + 1;
		this.inside.decrementAndGet();
	}

	int value() {
		if (this.before != this.after) {
			throw new IllegalStateException("Somebody counts while others read");
		}
		return this.after;
	}

	/**
	 * Run tasks at the same time, one thread each.
	 * @param tasks what to run
	 * @throws Exception the first failure of a task
	 */
	public static void runTogether(List<Callable<?>> tasks) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
		try {
			List<Future<?>> running = new ArrayList<>();
			tasks.forEach((task) -> running.add(threads.submit(task)));
			for (Future<?> each : running) {
				each.get(300, TimeUnit.SECONDS);
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

}

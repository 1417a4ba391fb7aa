package io.interlock.lease;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Lets the store remove what no lock needs any more, in parts, on a thread of its own: a
 * renewal never waits for it. Between two parts it rests as long as the last one took, so
 * that other requests have at least half of the store. Invariant: the next part is
 * planned, or {@link #resume()} plans it, until the provider is closed, whatever failed.
 */
final class LeaseCleaner {

	private static final Log logger = LogFactory.getLog(LeaseCleaner.class);

	private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(10);

	private static final long SHORTEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	/** A single failure may be a deadlock or a broken connection. */
	private static final int FAILURES_TO_TELL = 2;

	private final LeaseStore store;

	private final LeaseTime time;

	private final LeaseThreads threads;

	private volatile boolean ended;

	private volatile int failures;

	LeaseCleaner(LeaseStore store, LeaseTime time, LeaseThreads threads) {
		this.store = store;
		this.time = time;
		this.threads = threads;
	}

	void start() {
		later(INTERVAL_NANOS);
	}

	/** Plan the next part after a lack of memory. Called by the timer. */
	void resume() {
		if (this.ended) {
			this.ended = false;
			later(INTERVAL_NANOS);
		}
	}

	private void later(long nanos) {
		try {
			this.threads.later(this::begin, nanos);
		}
		catch (RejectedExecutionException ex) {
			// The instance has stopped.
		}
		catch (Throwable ex) {
			this.ended = true;
		}
	}

	private void begin() {
		try {
			this.threads.clean(this::clean);
		}
		catch (Throwable ex) {
			try {
				failed(ex);
			}
			finally {
				later(INTERVAL_NANOS);
			}
		}
	}

	private void clean() {
		long rest = INTERVAL_NANOS;
		try {
			long begun = this.time.nanoTime();
			if (this.store.clean()) {
				rest = Math.max(SHORTEST_REST_NANOS, this.time.nanoTime() - begun);
			}
			succeeded();
		}
		catch (Throwable ex) {
			rest = INTERVAL_NANOS;
			failed(ex);
		}
		finally {
			later(rest);
		}
	}

	private void succeeded() {
		if (this.failures >= FAILURES_TO_TELL) {
			logger.info("Unused entries are removed from the store again");
		}
		this.failures = 0;
	}

	private void failed(Throwable failure) {
		int failures = this.failures + 1;
		this.failures = failures;
		if (failures == FAILURES_TO_TELL && !this.threads.isClosed()) {
			logger
				.warn(("Unused entries could not be removed from the store several times in a row: %s. The store grows "
						+ "until that succeeds; no lock is affected")
					.formatted(failure), failure);
		}
		else {
			logger.debug("Unused entries could not be removed; the next run tries again", failure);
		}
	}

}

package io.interlock.faults.counter;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.interlock.faults.time.Lapse;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the counting threads of an instance at each {@link Moment} for a time, so that a
 * stop may hit it, and tells when all of them are at the same one. Safe for use by many
 * threads.
 */
final class Moments {

	private static final Duration USUAL = Duration.ofMillis(10);

	/** Long enough for a signal to the process. */
	private static final Duration MARKED = Duration.ofMillis(200);

	private final int threads;

	private volatile @Nullable Meeting meeting;

	Moments(int threads) {
		this.threads = threads;
	}

	/**
	 * Wait until all threads are at a moment, and keep them there a little longer.
	 */
	void awaitAll(Moment moment) throws InterruptedException {
		Meeting meeting = new Meeting(moment, new CountDownLatch(this.threads));
		this.meeting = meeting;
		meeting.missing().await();
		this.meeting = null;
	}

	/**
	 * Pass a moment. A thread that is interrupted, because it has lost its lock, takes as
	 * long, and is interrupted behind it.
	 */
	void pass(Moment moment) {
		Meeting meeting = this.meeting;
		boolean interrupted = Thread.interrupted();
		try {
			if (meeting != null && meeting.moment() == moment) {
				meeting.missing().countDown();
				meeting.missing().await();
				Lapse.of(MARKED);
			}
			else {
				Lapse.of(USUAL);
			}
		}
		catch (InterruptedException ex) {
			interrupted = true;
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	private record Meeting(Moment moment, CountDownLatch missing) {

	}

}

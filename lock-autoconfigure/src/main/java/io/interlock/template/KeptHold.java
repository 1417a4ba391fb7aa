package io.interlock.template;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * The rest of the minimum time of a hold that its holder has ended. Invariant: the lock
 * is released once, by whatever comes first: the timer, a loss, an operator, or the
 * shutdown.
 */
final class KeptHold {

	private final Duration held;

	private final Duration rest;

	private final Instant until;

	private final Runnable release;

	private final AtomicBoolean ended = new AtomicBoolean();

	private volatile @Nullable Future<?> timer;

	/**
	 * Begin to keep a hold.
	 * @param held how long its holder held it
	 * @param minHold how long it stays taken at least, the former time included
	 * @param release ends it
	 */
	KeptHold(Duration held, Duration minHold, Runnable release) {
		this.held = held;
		this.rest = minHold.minus(held);
		this.until = Instant.now().plus(this.rest);
		this.release = release;
	}

	/**
	 * Say what has a lock: nothing but its minimum time, or a thread.
	 */
	static String describe(@Nullable KeptHold kept, Holder holder) {
		return (kept != null) ? "this instance until %s, for its minimum hold time".formatted(kept.until)
				: "thread '%s' of this instance".formatted(holder.name());
	}

	/**
	 * Return how long a holder held a lock: until it ended its hold, or until now.
	 */
	static Duration timeOfBody(@Nullable KeptHold kept, Duration untilNow) {
		return (kept != null) ? kept.held : untilNow;
	}

	/**
	 * Release the lock when the time is over.
	 */
	void start(LockTime time) {
		Future<?> timer = time.schedule(this::end, TimeUnit.NANOSECONDS.convert(this.rest));
		this.timer = timer;
		if (timer == null) {
			end();
		}
		else if (this.ended.get()) {
			timer.cancel(false);
		}
	}

	void end() {
		if (this.ended.compareAndSet(false, true)) {
			Future<?> timer = this.timer;
			if (timer != null) {
				timer.cancel(false);
			}
			this.release.run();
		}
	}

	Duration held() {
		return this.held;
	}

	Instant until() {
		return this.until;
	}

}

package io.interlock.template;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockGrant;
import org.jspecify.annotations.Nullable;

/**
 * The rest of the minimum time of a hold that its holder has ended. Invariants: the lock
 * is released once, by whatever comes first: the timer, a loss, an operator, or the
 * shutdown, which may leave it to the servers instead; and that waits for no listener.
 * The listeners hear of it after they have heard that the lock is kept.
 */
final class KeptHold {

	static final Runnable NO_NEWS = () -> {
	};

	private final Duration held;

	private final Duration rest;

	private final Instant until;

	private final CompletableFuture<Boolean> outlasting;

	private final Runnable release;

	private final Runnable tellReleased;

	private final CompletableFuture<Boolean> keptTold = new CompletableFuture<>();

	private final AtomicBoolean ended = new AtomicBoolean();

	private volatile @Nullable Future<?> timer;

	/**
	 * Begin to keep a hold.
	 * @param held how long its holder held it
	 * @param minHold how long it stays taken at least, the former time included
	 * @param grant the grant, whose provider may keep it without this instance
	 * @param release releases the lock and does not block
	 * @param tellReleased tells the listeners that it was released
	 */
	KeptHold(Duration held, Duration minHold, LockGrant grant, Runnable release, Runnable tellReleased) {
		this.held = held;
		this.rest = minHold.minus(held);
		this.outlasting = grant.keep(this.rest);
		this.until = Instant.now().plus(this.rest);
		this.release = release;
		this.tellReleased = tellReleased;
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
		Future<?> timer = time.schedule(() -> time.execute(end()), TimeUnit.NANOSECONDS.convert(this.rest));
		this.timer = timer;
		if (timer == null) {
			time.execute(end());
		}
		else if (this.ended.get()) {
			timer.cancel(false);
		}
	}

	/**
	 * Note that the listeners have heard that the lock is kept.
	 */
	void told() {
		this.keptTold.complete(true);
	}

	/**
	 * Release the lock, unless that was done.
	 * @return tells the listeners of it, and may block
	 */
	Runnable end() {
		if (!this.ended.compareAndSet(false, true)) {
			return NO_NEWS;
		}
		LockTime.cancel(this.timer);
		this.release.run();
		return () -> this.keptTold.thenRun(this.tellReleased);
	}

	/**
	 * Leave the lock to the servers as soon as they are known to keep it without this
	 * instance. No listener hears of its release.
	 * @param left what to do then
	 * @param orEnd whether to release it if they do not keep it
	 * @return tells the listeners of a release, and may block
	 */
	Runnable leave(Runnable left, boolean orEnd, LockTime time) {
		if (this.outlasting.isDone()) {
			return leave(this.outlasting.join(), left, orEnd);
		}
		this.outlasting.thenAccept((outlasts) -> time.execute(leave(outlasts, left, orEnd)));
		return NO_NEWS;
	}

	private Runnable leave(boolean outlasts, Runnable left, boolean orEnd) {
		if (outlasts && this.ended.compareAndSet(false, true)) {
			LockTime.cancel(this.timer);
			left.run();
		}
		return (!outlasts && orEnd) ? end() : NO_NEWS;
	}

	boolean awaitsServers() {
		return !this.outlasting.isDone();
	}

	Duration held() {
		return this.held;
	}

	/**
	 * Return until when a lock is kept, if it is.
	 */
	static @Nullable Instant until(@Nullable KeptHold kept) {
		return (kept != null) ? kept.until : null;
	}

}

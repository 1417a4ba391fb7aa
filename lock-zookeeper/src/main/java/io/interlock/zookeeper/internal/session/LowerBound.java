package io.interlock.zookeeper.internal.session;

/**
 * A time after which something certainly happened, for example that the servers heard of
 * a session. It only grows, and it holds for a limited time. Invariant: a reader that
 * sees a time also sees when it was regained, because that is written first. Has one
 * writer at a time and many readers.
 */
final class LowerBound {

	private final long limitNanos;

	private final long shortNanos;

	private volatile long time;

	private volatile long regainedAt;

	/**
	 * Create a bound.
	 * @param time its first value
	 * @param limitNanos how long it holds
	 * @param shortNanos what is left of that when it has to be renewed soon
	 */
	LowerBound(long time, long limitNanos, long shortNanos) {
		this.limitNanos = limitNanos;
		this.shortNanos = shortNanos;
		this.time = time;
		this.regainedAt = time;
	}

	/** Note a time that may be later. If the bound held no more, it is regained now. */
	void advance(long to, long now) {
		if (!holds(now)) {
			this.regainedAt = now;
		}
		if (to - this.time > 0) {
			this.time = to;
		}
	}

	/** Note that what rests on this bound was interrupted until now. */
	void regain(long now) {
		this.regainedAt = now;
	}

	long time() {
		return this.time;
	}

	long regainedAt() {
		return this.regainedAt;
	}

	long age(long now) {
		return now - this.time;
	}

	boolean holds(long now) {
		return age(now) < this.limitNanos;
	}

	boolean isShort(long now) {
		return age(now) >= this.limitNanos - this.shortNanos;
	}

	/**
	 * Return whether the bound was renewed since it was regained, or had enough time left
	 * to be renewed before it ends.
	 */
	boolean lasts() {
		long current = this.time;
		return this.regainedAt - current < this.limitNanos - this.shortNanos;
	}

}

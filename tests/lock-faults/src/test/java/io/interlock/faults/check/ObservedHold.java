package io.interlock.faults.check;

/**
 * A hold as its holder reported it. Times are those of {@link System#nanoTime()}, which
 * all JVMs of a host share. Written by one thread, read when the run is over.
 */
public final class ObservedHold {

	private final String key;

	private final boolean shared;

	private final String instance;

	private final long token;

	private final long askedAt;

	private final long grantedAt;

	private volatile long lastValid = Long.MIN_VALUE;

	private volatile long endedAt = Long.MAX_VALUE;

	private volatile long reenteredAt = Long.MIN_VALUE;

	private volatile long lostAt = Long.MAX_VALUE;

	/**
	 * Create a hold that was just granted.
	 * @param key which lock
	 * @param shared whether it is shared
	 * @param instance who holds it: one client
	 * @param token its fencing token, 0 if it has none
	 * @param askedAt when it was asked for
	 * @param grantedAt when the answer had arrived
	 */
	public ObservedHold(String key, boolean shared, String instance, long token, long askedAt, long grantedAt) {
		this.key = key;
		this.shared = shared;
		this.instance = instance;
		this.token = token;
		this.askedAt = askedAt;
		this.grantedAt = grantedAt;
	}

	/**
	 * Note that the holder was told the lock is held.
	 * @param at a moment before it asked, so that it surely held the lock then
	 */
	public void valid(long at) {
		this.lastValid = at;
	}

	/**
	 * Note that the holder was granted the lock once more.
	 * @param at when it asked
	 */
	void reentered(long at) {
		this.reenteredAt = at;
	}

	/**
	 * Note the end.
	 * @param at when the release began
	 * @param lostAt when the holder was told of a loss, {@link Long#MAX_VALUE} if it was
	 * not
	 */
	public void ended(long at, long lostAt) {
		this.endedAt = at;
		this.lostAt = lostAt;
	}

	boolean wasValid() {
		return this.lastValid >= this.grantedAt;
	}

	String key() {
		return this.key;
	}

	boolean isExclusive() {
		return !this.shared;
	}

	String instance() {
		return this.instance;
	}

	/**
	 * Return the worker to which the instance belongs.
	 */
	String worker() {
		return this.instance.substring(0, Math.max(0, this.instance.indexOf('#')));
	}

	long token() {
		return this.token;
	}

	long askedAt() {
		return this.askedAt;
	}

	long grantedAt() {
		return this.grantedAt;
	}

	long lastValid() {
		return this.lastValid;
	}

	long endedAt() {
		return this.endedAt;
	}

	boolean isOpen() {
		return this.endedAt == Long.MAX_VALUE;
	}

	long reenteredAt() {
		return this.reenteredAt;
	}

	boolean isLost() {
		return this.lostAt != Long.MAX_VALUE;
	}

	long lostAt() {
		return this.lostAt;
	}

	@Override
	public String toString() {
		return "%s %s by %s, token %d, granted at %d, valid until %d%s".formatted(this.shared ? "shared" : "exclusive",
				this.key, this.instance, this.token, this.grantedAt, this.lastValid,
				isLost() ? ", ended at %d, lost at %d".formatted(this.endedAt, this.lostAt) : "");
	}

}

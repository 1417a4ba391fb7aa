package io.interlock;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * What is asked of a lock. Immutable and safe for use by many threads: build it once and
 * keep it, or narrow a kept one with {@link #withKey}.
 *
 * @since 0.1.0
 */
public final class LockRequest {

	/**
	 * A wait without a limit.
	 */
	public static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

	private final LockId id;

	private final LockMode mode;

	private final @Nullable Duration waitTime;

	private final LossPolicy onLoss;

	private final @Nullable Duration maxHold;

	private final Release release;

	private LockRequest(LockId id, LockMode mode, @Nullable Duration waitTime, LossPolicy onLoss,
			@Nullable Duration maxHold, Release release) {
		this.id = id;
		this.mode = mode;
		this.waitTime = waitTime;
		this.onLoss = onLoss;
		this.maxHold = maxHold;
		this.release = release;
	}

	/**
	 * Ask for a lock that excludes everybody else.
	 * @param name name of the lock
	 * @return the request
	 * @throws IllegalArgumentException if the name is blank
	 */
	public static LockRequest exclusive(String name) {
		return of(name, LockMode.EXCLUSIVE);
	}

	/**
	 * Ask for a lock that is shared with other shared holders.
	 * @param name name of the lock
	 * @return the request
	 * @throws IllegalArgumentException if the name is blank
	 */
	public static LockRequest shared(String name) {
		return of(name, LockMode.SHARED);
	}

	private static LockRequest of(String name, LockMode mode) {
		return new LockRequest(new LockId(name, null), mode, null, LossPolicy.FAIL, null, Release.AFTER_TRANSACTION);
	}

	/**
	 * Narrow the lock to a key.
	 * @param key the key; its {@code toString()} counts
	 * @return a new request
	 * @throws IllegalArgumentException if the key or its text is {@code null}, or its
	 * text is blank
	 */
	public LockRequest withKey(Object key) {
		String text = Objects.toString(key, null);
		Assert.notNull(text, () -> "'key' of lock '%s' must not be null".formatted(this.id.name()));
		LockId narrowed = new LockId(this.id.name(), text);
		return new LockRequest(narrowed, this.mode, this.waitTime, this.onLoss, this.maxHold, this.release);
	}

	/**
	 * Limit the wait.
	 * @param waitTime time to wait for the lock; zero tries once without waiting for
	 * others, {@link #FOREVER} waits without a limit
	 * @return a new request
	 * @throws IllegalArgumentException if the time is negative
	 */
	public LockRequest withWaitTime(Duration waitTime) {
		Assert.notNull(waitTime, "'waitTime' must not be null");
		Assert.isTrue(!waitTime.isNegative(), () -> "'waitTime' must not be negative: " + waitTime);
		return new LockRequest(this.id, this.mode, waitTime, this.onLoss, this.maxHold, this.release);
	}

	/**
	 * Choose what happens if the lock is lost while it is held.
	 * @param policy the policy
	 * @return a new request
	 */
	public LockRequest withOnLoss(LossPolicy policy) {
		Assert.notNull(policy, "'policy' must not be null");
		return new LockRequest(this.id, this.mode, this.waitTime, policy, this.maxHold, this.release);
	}

	/**
	 * Say how long the lock is held at the most in normal operation. A hold that lasts
	 * longer is reported; it is never released under a running body.
	 * @param maxHold the time after which a hold is reported
	 * @return a new request
	 * @throws IllegalArgumentException if the time is not positive
	 */
	public LockRequest withMaxHold(Duration maxHold) {
		Assert.notNull(maxHold, "'maxHold' must not be null");
		Assert.isTrue(!maxHold.isNegative() && !maxHold.isZero(), () -> "'maxHold' must be positive: " + maxHold);
		return new LockRequest(this.id, this.mode, this.waitTime, this.onLoss, maxHold, this.release);
	}

	/**
	 * Choose when the lock is released if it is acquired inside a transaction.
	 * @param release the moment of release
	 * @return a new request
	 */
	public LockRequest withRelease(Release release) {
		Assert.notNull(release, "'release' must not be null");
		return new LockRequest(this.id, this.mode, this.waitTime, this.onLoss, this.maxHold, release);
	}

	/**
	 * Return the lock that is asked for.
	 * @return the id
	 */
	public LockId id() {
		return this.id;
	}

	/**
	 * Return how the lock is to be shared.
	 * @return the mode
	 */
	public LockMode mode() {
		return this.mode;
	}

	/**
	 * Return how long to wait.
	 * @return the time, or {@code null} for the configured default
	 */
	public @Nullable Duration waitTime() {
		return this.waitTime;
	}

	/**
	 * Return what happens if the lock is lost while it is held.
	 * @return the policy
	 */
	public LossPolicy onLoss() {
		return this.onLoss;
	}

	/**
	 * Return the time after which a hold is reported.
	 * @return the time, or {@code null} for never
	 */
	public @Nullable Duration maxHold() {
		return this.maxHold;
	}

	/**
	 * Return when the lock is released if it is acquired inside a transaction.
	 * @return the moment of release
	 */
	public Release release() {
		return this.release;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || (other instanceof LockRequest that && this.id.equals(that.id) && this.mode == that.mode
				&& Objects.equals(this.waitTime, that.waitTime) && this.onLoss == that.onLoss
				&& Objects.equals(this.maxHold, that.maxHold) && this.release == that.release);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.id, this.mode, this.waitTime, this.onLoss, this.maxHold, this.release);
	}

	@Override
	public String toString() {
		return this.mode + " " + this.id;
	}

}

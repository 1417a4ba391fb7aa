package io.interlock;

import java.time.Duration;

import io.interlock.internal.PrintableText;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A request for a lock. Immutable and safe for use by many threads: build it once and
 * keep it, and narrow it with {@link #withKey}. Each method that begins with {@code with}
 * returns a new request.
 *
 * @param id the lock
 * @param mode the mode of the lock
 * @param waitTime time to wait, or {@code null} for the configured default, in which case
 * a try does not wait
 * @param onLoss what happens if the lock is lost while it is held
 * @param maxHold time after which a hold is reported, or {@code null} for never
 * @param release when to release a lock that was acquired inside a transaction
 * @param permits maximum number of holders with {@link LockMode#PERMIT}; 1 in the other
 * modes
 * @param minHold minimum time that the lock stays taken, or {@code null} for none
 * @since 0.1.0
 */
public record LockRequest(LockId id, LockMode mode, @Nullable Duration waitTime, LossPolicy onLoss,
		@Nullable Duration maxHold, ReleasePolicy release, int permits, @Nullable Duration minHold) {

	/** A wait without limit. */
	public static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

	/** The most permits that a semaphore can have. */
	public static final int MAX_PERMITS = 999_999_999;

	/** The longest possible minimum time. */
	public static final Duration MAX_MIN_HOLD = Duration.ofDays(366);

	public LockRequest {
		Assert.isTrue(waitTime == null || !waitTime.isNegative(), () -> "'waitTime' must not be negative: " + waitTime);
		Assert.isTrue(maxHold == null || (!maxHold.isNegative() && !maxHold.isZero()),
				() -> "'maxHold' must be positive: " + maxHold);
		Assert.isTrue(minHold == null || (!minHold.isNegative() && !minHold.equals(FOREVER)),
				() -> "'minHold' must not be negative or FOREVER: " + minHold);
		Assert.isTrue(minHold == null || minHold.compareTo(MAX_MIN_HOLD) <= 0,
				() -> "'minHold' must be at most %d days: %s".formatted(MAX_MIN_HOLD.toDays(), minHold));
		Assert.isTrue(permits == 1 || (permits > 1 && permits <= MAX_PERMITS && mode == LockMode.PERMIT),
				() -> "'permits' of %s %s must be 1 or, for a semaphore, up to 999999999: %d".formatted(mode, id,
						permits));
	}

	/** Request a lock that excludes all other holders. The name must not be blank. */
	public static LockRequest exclusive(String name) {
		return of(name, LockMode.EXCLUSIVE, 1);
	}

	/** Like {@link #exclusive}, but shared with other shared holders. */
	public static LockRequest shared(String name) {
		return of(name, LockMode.SHARED, 1);
	}

	/**
	 * Request a permit of a semaphore, which limits the number of holders over all
	 * instances. While instances disagree on the number, the smallest one among holders
	 * and waiters counts. A thread with a permit joins its own hold.
	 * @param name name of the semaphore
	 * @param permits maximum number of holders
	 * @return the request
	 * @throws IllegalArgumentException if the name is blank, or the number is below one
	 * or above {@link #MAX_PERMITS}
	 */
	public static LockRequest semaphore(String name, int permits) {
		return of(name, LockMode.PERMIT, permits);
	}

	private static LockRequest of(String name, LockMode mode, int permits) {
		return new LockRequest(new LockId(name, null), mode, null, LossPolicy.FAIL, null,
				ReleasePolicy.AFTER_TRANSACTION, permits, null);
	}

	/**
	 * Narrow the lock to a key, as an annotation does: a text, a boolean, an integer, a
	 * {@link java.math.BigDecimal}, an enum, a UUID, a type of {@code java.time}, a
	 * {@link LockKeyed}, or a record, list or optional of these. Equal texts are the same
	 * lock: {@code 42}, {@code 42L} and {@code "42"}.
	 * @param key the key
	 * @throws IllegalArgumentException if the key is {@code null}, of any other type, or
	 * blank
	 */
	public LockRequest withKey(Object key) {
		Assert.notNull(key, () -> "'key' of lock '%s' must not be null".formatted(PrintableText.of(this.id.name())));
		return withId(new LockId(this.id.name(), text(key), this.id.provider()));
	}

	/**
	 * Choose the provider that the lock comes from. Locks of different providers are
	 * different locks, whatever their names.
	 * @param provider name of the provider
	 * @throws IllegalArgumentException if the name is blank, or, when the lock is
	 * requested, if there is no provider of that name
	 */
	public LockRequest withProvider(String provider) {
		Assert.hasText(provider, "'provider' must not be empty");
		return withId(this.id.withProvider(provider));
	}

	private LockRequest withId(LockId id) {
		return new LockRequest(id, this.mode, this.waitTime, this.onLoss, this.maxHold, this.release, this.permits,
				this.minHold);
	}

	private String text(Object key) {
		try {
			return LockId.keyOf(key);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException("The key of lock '%s' cannot be used. %s"
				.formatted(PrintableText.of(this.id.name()), ex.getMessage()), ex);
		}
	}

	/**
	 * Limit the wait.
	 * @param waitTime time to wait for the lock; zero tries once without waiting for
	 * others, {@link #FOREVER} waits without a limit
	 * @throws IllegalArgumentException if the time is negative
	 */
	public LockRequest withWaitTime(Duration waitTime) {
		Assert.notNull(waitTime, "'waitTime' must not be null");
		return new LockRequest(this.id, this.mode, waitTime, this.onLoss, this.maxHold, this.release, this.permits,
				this.minHold);
	}

	/** Choose what happens if the lock is lost while it is held. */
	public LockRequest withOnLoss(LossPolicy policy) {
		Assert.notNull(policy, "'policy' must not be null");
		return new LockRequest(this.id, this.mode, this.waitTime, policy, this.maxHold, this.release, this.permits,
				this.minHold);
	}

	/**
	 * Limit the hold in normal operation. A longer hold is reported, but never released
	 * while its body runs. For a request that joins a hold, the time begins when it
	 * joins.
	 * @param maxHold time after which a hold is reported
	 * @throws IllegalArgumentException if the time is not positive
	 */
	public LockRequest withMaxHold(Duration maxHold) {
		Assert.notNull(maxHold, "'maxHold' must not be null");
		return new LockRequest(this.id, this.mode, this.waitTime, this.onLoss, maxHold, this.release, this.permits,
				this.minHold);
	}

	/** Choose when to release a lock that was acquired inside a transaction. */
	public LockRequest withRelease(ReleasePolicy release) {
		Assert.notNull(release, "'release' must not be null");
		return new LockRequest(this.id, this.mode, this.waitTime, this.onLoss, this.maxHold, release, this.permits,
				this.minHold);
	}

	/**
	 * Keep the lock taken for a time after the acquisition. A holder that ends its hold
	 * earlier does not wait: the lock stays taken without a holder until the time is
	 * over, or an operator frees it. ZooKeeper, databases and Redis keep it even if this
	 * instance stops or crashes once the store has answered, if the request that acquired
	 * the lock has a minimum time. Otherwise, and in memory, it is free when this
	 * instance stops or its session or lease ends. The longest time of all requests that
	 * share a hold counts. A lost lock is not kept.
	 * @param minHold time from the acquisition; zero to keep nothing
	 * @throws IllegalArgumentException if the time is negative or longer than
	 * {@link #MAX_MIN_HOLD}
	 */
	public LockRequest withMinHold(Duration minHold) {
		Assert.notNull(minHold, "'minHold' must not be null");
		return new LockRequest(this.id, this.mode, this.waitTime, this.onLoss, this.maxHold, this.release, this.permits,
				minHold);
	}

	@Override
	public String toString() {
		return this.mode + " " + this.id;
	}

}

package io.interlock.lease;

/**
 * What a {@link LeaseStore} answers to a contender that asks for its lock.
 *
 * @param granted whether the contender holds the lock
 * @param token the token of the contender if it holds the lock; otherwise the greatest
 * token of the holders, or 0 if the store does not know it. While it stays the same, the
 * contender asks less and less often
 * @since 0.1.0
 */
public record LeaseAnswer(boolean granted, long token) {

	/** Answer that the contender holds the lock, with its token. */
	public static LeaseAnswer granted(long token) {
		return new LeaseAnswer(true, token);
	}

	/** Answer that others hold it or wait: the greatest token of the holders, or 0. */
	public static LeaseAnswer heldBy(long token) {
		return new LeaseAnswer(false, token);
	}

}

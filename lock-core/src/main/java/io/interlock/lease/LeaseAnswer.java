package io.interlock.lease;

/**
 * What a {@link LeaseStore} answers to a contender that asks for its lock.
 *
 * @param granted whether the contender holds the lock
 * @param token the token of the contender if it holds the lock; otherwise that of the
 * holder it waits for, the greatest one of several, or 0 where the store does not tell. A
 * contender asks seldom while that stays the same
 * @since 0.1.0
 */
public record LeaseAnswer(boolean granted, long token) {

	/**
	 * Answer that the contender holds the lock.
	 * @param token its token
	 * @return the answer
	 */
	public static LeaseAnswer granted(long token) {
		return new LeaseAnswer(true, token);
	}

	/**
	 * Answer that the lock is held by others, or that others wait in front.
	 * @param token the greatest token of the holders, or 0
	 * @return the answer
	 */
	public static LeaseAnswer heldBy(long token) {
		return new LeaseAnswer(false, token);
	}

}

package io.interlock.benchmark.load;

import io.interlock.LockMode;

/**
 * Sees whether holders of a lock exclude each other. It is called by holders only, and
 * guards itself no more than they would guard what the lock is for.
 *
 * @since 0.1.0
 */
public interface ExclusionCheck {

	/**
	 * A holder begins.
	 * @param holder number of the holder, not 0
	 * @param mode how the lock is held
	 * @throws ExclusionViolation if another holder is there that must not be
	 */
	void enter(long holder, LockMode mode);

	/**
	 * A holder ends.
	 * @param holder number of the holder, not 0
	 * @param mode how the lock is held
	 * @throws ExclusionViolation if another holder was there that must not be
	 */
	void exit(long holder, LockMode mode);

	/**
	 * Return how many exclusive holders there were, when all have come to their end.
	 * @return the number that the holders counted without any guard but the lock
	 * @throws ExclusionViolation if the count at their begin and the one at their end
	 * differ
	 */
	long exclusiveHolders();

}

package io.interlock.curator;

import org.jspecify.annotations.Nullable;

/**
 * Contends for a lock on the calling thread until it is granted. An interrupt ends it and
 * leaves no node behind.
 */
@FunctionalInterface
interface LockRecipe {

	/**
	 * Contend.
	 * @param contest the attempt
	 * @return the hold, registered; or {@code null} if others hold the lock and the
	 * attempt does not wait
	 * @throws Exception if the recipe cannot go on
	 */
	@Nullable CuratorLockHandle contend(Contest contest) throws Exception;

}

package io.interlock.admin;

import java.util.List;

import io.interlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * A lock with its holders and its waiters.
 *
 * @param name name of the lock as the application wrote it, or what can be read of it if
 * {@code exact} is {@code false}
 * @param key key of the lock as the application wrote it, if it has one
 * @param exact whether name and key are what the application wrote: the path of a very
 * long one has only its start, and another client can have made a path that no lock has
 * @param path path of the lock
 * @param readable whether the contenders were read; they are not without permission, or
 * if they are too many for one answer
 * @param mode mode in which the lock is held, or {@code null} if it is free
 * @param contenders number of holders and waiters, as far as it is known
 * @param holders the holders, oldest first; several only if the lock is shared
 * @param queue the waiters, in the order in which they get the lock
 * @param omitted number of contenders behind those that are shown
 * @param others nodes that are no contenders
 * @param blockedBy node at the head of the queue that belongs to no session, or that
 * another client made, and that waiters have stood behind for longer than a session
 * timeout; {@code null} if there is none
 * @since 0.1.0
 */
public record QueuedLock(String name, @Nullable String key, boolean exact, String path, boolean readable,
		@Nullable LockMode mode, int contenders, List<LockContender> holders, List<LockContender> queue, int omitted,
		List<String> others, @Nullable String blockedBy) {

	public QueuedLock {
		holders = List.copyOf(holders);
		queue = List.copyOf(queue);
		others = List.copyOf(others);
	}

}

package io.interlock.admin;

import java.util.List;

import io.interlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * A lock with its holders and waiters.
 *
 * @param name name of the lock as the application wrote it, or the readable part of it
 * unless {@code exact}
 * @param key key of the lock as the application wrote it, if there is one
 * @param exact whether name and key are complete: the path of a very long one has only
 * its start, and another client can have made a path that no lock has
 * @param path path of the lock
 * @param readable {@code false} without the permission to read the contenders, or with
 * too many of them for one answer
 * @param mode mode in which the lock is held, or {@code null} if it is free
 * @param contenders number of holders and waiters, as far as it is known
 * @param holders the holders, oldest first; several only if the lock is shared
 * @param queue the waiters, in the order in which they get the lock
 * @param omitted number of contenders that are not shown
 * @param others nodes that are no contenders
 * @param blockedBy node without a session, or of another client, at the head of a queue
 * that has waited for longer than a session timeout; {@code null} if there is none
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

package io.interlock.admin;

import java.time.Instant;
import java.util.List;

/**
 * Some of the locks of all clients.
 *
 * @param rootPath path below which the locks are
 * @param readAt when they were read, by the clock of this machine
 * @param total number of locks that match the query
 * @param offset number of locks before the first one shown
 * @param limit largest number of locks shown
 * @param queueLimit largest number of contenders shown of each
 * @param locks the locks: busy ones first, each kind in the order of its paths; in the
 * order of paths alone if there are too many to look at each
 * @since 0.1.0
 */
public record LockPage(String rootPath, Instant readAt, int total, int offset, int limit, int queueLimit,
		List<QueuedLock> locks) {

	public LockPage {
		locks = List.copyOf(locks);
	}

}

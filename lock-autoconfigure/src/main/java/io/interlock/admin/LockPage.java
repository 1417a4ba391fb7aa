package io.interlock.admin;

import java.time.Instant;
import java.util.List;

/**
 * Some of the locks that there are.
 *
 * @param rootPath path below which they are
 * @param readAt when they were read, by the clock of this machine
 * @param total how many locks the query meets
 * @param offset how many of them were left out before the first one
 * @param limit how many were asked for
 * @param queueLimit how many contenders of each were asked for
 * @param locks the locks, in the order of their paths
 * @since 0.1.0
 */
public record LockPage(String rootPath, Instant readAt, int total, int offset, int limit, int queueLimit,
		List<QueuedLock> locks) {

	public LockPage {
		locks = List.copyOf(locks);
	}

}

package io.interlock.actuate.endpoint;

import java.time.Instant;
import java.util.List;

import io.interlock.admin.LockPage;
import io.interlock.admin.QueuedLock;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of the locks of all instances.
 *
 * @param rootPath path below which they are
 * @param readAt when they were read, by the clock of this machine
 * @param total how many there are, also if not all are shown
 * @param offset how many are left out before the first one
 * @param limit how many are shown at most
 * @param queueLimit how many contenders of each are shown at most
 * @param locks the locks, in the order of their paths
 * @since 0.1.0
 */
public record ClusterLocksDescriptor(String rootPath, Instant readAt, int total, int offset, int limit, int queueLimit,
		List<QueuedLock> locks) implements OperationResponseBody {

	static ClusterLocksDescriptor of(LockPage page) {
		return new ClusterLocksDescriptor(page.rootPath(), page.readAt(), page.total(), page.offset(), page.limit(),
				page.queueLimit(), page.locks());
	}

}

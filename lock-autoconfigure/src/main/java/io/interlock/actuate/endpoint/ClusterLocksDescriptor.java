package io.interlock.actuate.endpoint;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

import io.interlock.admin.LockInspector;
import io.interlock.admin.LockInspector.QueuedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Description of the locks of all clients, with the fields of a
 * {@link LockInspector.Page}.
 *
 * @since 0.1.0
 */
public record ClusterLocksDescriptor(String rootPath, Instant readAt, int total, int offset, int limit, int queueLimit,
		List<QueuedLock> locks) implements OperationResponseBody {

	private static final int LIMIT = 100;

	private static final int QUEUE_LIMIT_OF_MANY = 10;

	private static final int QUEUE_LIMIT_OF_ONE = 100;

	static ClusterLocksDescriptor read(LockInspector inspector, @Nullable String name, @Nullable String key,
			@Nullable Boolean busy, @Nullable Integer offset, @Nullable Integer limit, @Nullable Integer queueLimit) {
		int queueLimitByDefault = (name != null) ? QUEUE_LIMIT_OF_ONE : QUEUE_LIMIT_OF_MANY;
		LockInspector.Query query = LocksEndpoint.valid(() -> new LockInspector.Query(name, key,
				Boolean.TRUE.equals(busy), Objects.requireNonNullElse(offset, 0),
				Objects.requireNonNullElse(limit, LIMIT), Objects.requireNonNullElse(queueLimit, queueLimitByDefault)));
		LockInspector.Page page = inspector.locks(query);
		return new ClusterLocksDescriptor(page.rootPath(), page.readAt(), page.total(), page.offset(), page.limit(),
				page.queueLimit(), page.locks());
	}

}

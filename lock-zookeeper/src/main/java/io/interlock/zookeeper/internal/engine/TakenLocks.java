package io.interlock.zookeeper.internal.engine;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.interlock.LockMode;
import io.interlock.zookeeper.internal.session.SessionLease;

/**
 * Locks that a listing has shown as taken, for attempts that end before their own one is
 * answered: on a slow line they wait for other holders and not for the servers. Grants
 * nothing, and forgets after a sixth of the session timeout. Safe for use by many
 * threads.
 */
final class TakenLocks {

	/** When the servers have last reported a path as taken to a contender of a mode. */
	private final Map<LockMode, Map<String, Report>> reported = new EnumMap<>(LockMode.class);

	private volatile long sweptAt;

	TakenLocks() {
		for (LockMode mode : LockMode.values()) {
			this.reported.put(mode, new ConcurrentHashMap<>());
		}
	}

	void taken(String lockPath, LockMode mode, SessionLease lease, long reportedAt, boolean byOthers) {
		if (!lease.isRecent(this.sweptAt, reportedAt)) {
			this.sweptAt = reportedAt;
			this.reported.values()
				.forEach((paths) -> paths.values().removeIf((report) -> !lease.isRecent(report.at(), reportedAt)));
		}
		reported(mode).merge(lockPath, new Report(reportedAt, byOthers),
				(one, other) -> (other.at() - one.at() > 0) ? other : one);
	}

	void free(String lockPath, LockMode mode) {
		reported(mode).remove(lockPath);
	}

	boolean isTaken(String lockPath, LockMode mode, SessionLease lease, long now) {
		Report report = reported(mode).get(lockPath);
		return report != null && lease.isRecent(report.at(), now);
	}

	/** Return whether other instances were in the way when a lock was reported last. */
	boolean isByOthers(String lockPath, LockMode mode) {
		Report report = reported(mode).get(lockPath);
		return report != null && report.byOthers();
	}

	int size() {
		return this.reported.values().stream().mapToInt(Map::size).sum();
	}

	private Map<String, Report> reported(LockMode mode) {
		return Objects.requireNonNull(this.reported.get(mode));
	}

	private record Report(long at, boolean byOthers) {
	}

}

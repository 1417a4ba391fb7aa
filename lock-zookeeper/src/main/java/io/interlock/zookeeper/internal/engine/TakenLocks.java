package io.interlock.zookeeper.internal.engine;

import java.util.Map;
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

	/** When the servers have last reported a lock as taken to a contender of a mode. */
	private final Map<Contended, Report> reported = new ConcurrentHashMap<>();

	private volatile long sweptAt;

	void taken(String lockPath, LockMode mode, SessionLease lease, long reportedAt, boolean byOthers) {
		if (!lease.isRecent(this.sweptAt, reportedAt)) {
			this.sweptAt = reportedAt;
			this.reported.values().removeIf((report) -> !lease.isRecent(report.at(), reportedAt));
		}
		this.reported.merge(new Contended(lockPath, mode), new Report(reportedAt, byOthers),
				(one, other) -> (other.at() - one.at() > 0) ? other : one);
	}

	void free(String lockPath, LockMode mode) {
		this.reported.remove(new Contended(lockPath, mode));
	}

	boolean isTaken(String lockPath, LockMode mode, SessionLease lease, long now) {
		Report report = this.reported.get(new Contended(lockPath, mode));
		return report != null && lease.isRecent(report.at(), now);
	}

	/** Return whether other instances were in the way when a lock was reported last. */
	boolean isByOthers(String lockPath, LockMode mode) {
		Report report = this.reported.get(new Contended(lockPath, mode));
		return report != null && report.byOthers();
	}

	int size() {
		return this.reported.size();
	}

	private record Contended(String lockPath, LockMode mode) {
	}

	private record Report(long at, boolean byOthers) {
	}

}

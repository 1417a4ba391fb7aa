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
	private final Map<Contended, Long> reported = new ConcurrentHashMap<>();

	private volatile long sweptAt;

	void taken(String lockPath, LockMode mode, SessionLease lease, long reportedAt) {
		if (!lease.isRecent(this.sweptAt, reportedAt)) {
			this.sweptAt = reportedAt;
			this.reported.values().removeIf((at) -> !lease.isRecent(at, reportedAt));
		}
		this.reported.merge(new Contended(lockPath, mode), reportedAt, (one, other) -> (other - one > 0) ? other : one);
	}

	void free(String lockPath, LockMode mode) {
		this.reported.remove(new Contended(lockPath, mode));
	}

	boolean isTaken(String lockPath, LockMode mode, SessionLease lease, long now) {
		Long at = this.reported.get(new Contended(lockPath, mode));
		return at != null && lease.isRecent(at, now);
	}

	int size() {
		return this.reported.size();
	}

	private record Contended(String lockPath, LockMode mode) {
	}

}

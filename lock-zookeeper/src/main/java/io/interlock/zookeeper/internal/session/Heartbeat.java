package io.interlock.zookeeper.internal.session;

import java.util.List;
import java.util.function.LongSupplier;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooKeeper;

/**
 * Asks the servers often enough for the lease of the session to stay good. It never
 * stops, so that a lease is good at the moment of a grant. It is {@code sync} while
 * nothing is held, which a follower that is cut off from its leader cannot answer, unlike
 * a read; and while something is held or waits, a write that changes nothing, which a
 * leader that is cut off from its followers cannot answer either. Answers to other
 * requests of a quorum count, so a busy instance sends none. A lease that is short is
 * renewed earlier, as soon as a request helps.
 * <p>
 * Serves one thread.
 */
final class Heartbeat {

	private final SessionMonitor monitor;

	private final LongSupplier clock;

	private boolean sent;

	private long sentAt;

	Heartbeat(SessionMonitor monitor) {
		this(monitor, System::nanoTime);
	}

	Heartbeat(SessionMonitor monitor, LongSupplier clock) {
		this.monitor = monitor;
		this.clock = clock;
		this.sentAt = clock.getAsLong();
	}

	void beatWhenDue(SessionLease lease, long now, boolean busy) {
		long interval = busy ? lease.busyBeatNanos() : lease.idleBeatNanos();
		if (!isDue(lease, now, interval) && !lease.isUrgent(now, this.sentAt)) {
			return;
		}
		ZooKeeper zooKeeper = this.monitor.handle().connected();
		if (zooKeeper == null || zooKeeper.getSessionId() != lease.sessionId()) {
			return;
		}
		this.sent = true;
		this.sentAt = now;
		lease.asked(now);
		if (busy) {
			askQuorum(zooKeeper, lease, now);
		}
		else {
			askLeader(zooKeeper, lease, now);
		}
	}

	private boolean isDue(SessionLease lease, long now, long interval) {
		return (!this.sent || now - this.sentAt >= interval) && !lease.isYoung(now, interval);
	}

	private void askLeader(ZooKeeper zooKeeper, SessionLease lease, long sentAt) {
		zooKeeper.sync("/", (code, path, context) -> {
			lease.returned(sentAt);
			if (code == Code.OK.intValue()) {
				lease.answered(sentAt, this.clock.getAsLong());
			}
		}, null);
	}

	/**
	 * Check something that always is. A check that fails is agreed upon like one that
	 * succeeds.
	 */
	private void askQuorum(ZooKeeper zooKeeper, SessionLease lease, long sentAt) {
		zooKeeper.multi(List.of(Op.check("/", -1)), (code, path, context, results) -> {
			lease.returned(sentAt);
			Code answer = AnswerCode.of(code);
			if (answer == Code.OK || answer == Code.NONODE || answer == Code.NOAUTH) {
				lease.confirmed(sentAt, this.clock.getAsLong());
			}
		}, null);
	}

}

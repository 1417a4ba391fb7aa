package io.interlock.zookeeper.internal.session;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.interlock.internal.LockThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooKeeper;

/**
 * Keeps the lease of the session while something depends on it, and ends the holds whose
 * session is over. Its timer also finds a connection that Curator has forgotten, because
 * no lease is kept without one. Invariant: a registered hold is either covered by the
 * lease of its own session or lost, and a hold that was lost never comes back.
 * <p>
 * It asks the servers often enough for the lease of the session to stay good, and never
 * stops, so that a lease is good at the moment of a grant. It asks by {@code sync} while
 * nothing is held, which a follower that is cut off from its leader cannot answer, unlike
 * a read; and while something is held or waits, by a write that changes nothing, which a
 * leader that is cut off from its followers cannot answer either. Answers to other
 * requests of a quorum count, so a busy instance sends none. A lease that is short is
 * renewed earlier, as soon as a request helps.
 *
 * @since 0.1.0
 */
public final class SessionKeeper implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(SessionKeeper.class);

	private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final SessionMonitor monitor;

	private final SessionMonitor.Observer dependents;

	private final ForgottenConnection forgotten;

	private final LongSupplier clock;

	private final Set<LeasedGrant> holds = ConcurrentHashMap.newKeySet();

	private final Thread timer = LockThreads.LEASE.thread(this::run);

	private volatile boolean resting;

	private volatile boolean closed;

	private boolean failing;

	private boolean sent;

	private long sentAt;

	public SessionKeeper(SessionMonitor monitor, SessionMonitor.Observer dependents, ForgottenConnection forgotten) {
		this(monitor, dependents, forgotten, System::nanoTime);
	}

	SessionKeeper(SessionMonitor monitor, SessionMonitor.Observer dependents, ForgottenConnection forgotten,
			LongSupplier clock) {
		this.monitor = monitor;
		this.dependents = dependents;
		this.forgotten = forgotten;
		this.clock = clock;
		this.sentAt = clock.getAsLong();
	}

	public void start() {
		this.timer.start();
	}

	/** Check soon and often from now on, because something is held or waits. */
	public void wake() {
		if (this.resting) {
			this.resting = false;
			LockSupport.unpark(this.timer);
		}
	}

	/**
	 * Look every tenth of a second while something is held or waits, and otherwise as
	 * often as the lease needs a beat. No failure ends this: without its timer an
	 * instance loses its lease. A failure usually repeats at each look, so it is logged
	 * once.
	 */
	private void run() {
		while (!this.closed) {
			try {
				// An action on an outcome may have left its interrupt flag.
				Thread.interrupted();
				lookAfterSession();
				this.failing = false;
			}
			catch (Throwable ex) {
				failed(ex);
			}
			this.resting = !isBusy();
			if (!this.resting || !isBusy()) {
				LockSupport.parkNanos(this, this.resting ? restNanos() : TICK_NANOS);
			}
		}
	}

	private void failed(Throwable failure) {
		try {
			if (!this.failing && !this.closed) {
				this.failing = true;
				logger.warn("Checking the ZooKeeper session failed; the next check follows", failure);
			}
		}
		catch (Throwable ex) {
			// There is no memory for a log line.
		}
	}

	private boolean isBusy() {
		return !this.holds.isEmpty() || this.dependents.isWaiting();
	}

	private long restNanos() {
		SessionStatus status = this.monitor.status();
		SessionLease lease = status.lease();
		return (status.isConnected() && lease != null) ? lease.idleBeatNanos() : REST_NANOS;
	}

	private void lookAfterSession() {
		this.forgotten.lookWhenDue(System.nanoTime());
		SessionStatus status = this.monitor.status();
		if (status.lease() != null) {
			care(status.lease(), status.isConnected());
		}
		this.dependents.look();
	}

	private void care(SessionLease lease, boolean connected) {
		long now = System.nanoTime();
		// Judged for each hold, because one that came meanwhile has renewed the lease.
		loseAll((hold) -> hold.isLost() || (hold.lease() == lease && lease.isOver(now)));
		tellStates();
		if (connected) {
			beatWhenDue(lease, now, isBusy());
			for (LeasedGrant hold : this.holds) {
				hold.tick(now);
			}
		}
	}

	void beatWhenDue(SessionLease lease, long now, boolean busy) {
		long interval = busy ? lease.busyBeatNanos() : lease.idleBeatNanos();
		boolean due = (!this.sent || now - this.sentAt >= interval) && !lease.isYoung(now, interval);
		if (!due && !lease.isUrgent(now, this.sentAt)) {
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

	private void askLeader(ZooKeeper zooKeeper, SessionLease lease, long sentAt) {
		zooKeeper.sync("/", (code, path, context) -> {
			lease.returned(sentAt);
			if (code == Code.OK.intValue()) {
				lease.answered(sentAt, this.clock.getAsLong());
			}
		}, null);
	}

	/**
	 * A quorum agrees on a refused check too, so that it confirms the session as well.
	 */
	private void askQuorum(ZooKeeper zooKeeper, SessionLease lease, long sentAt) {
		zooKeeper.multi(List.of(Op.check("/", -1)), (code, path, context, results) -> {
			lease.returned(sentAt);
			Code answer = ClientHandle.code(code);
			if (answer == Code.OK || answer == Code.NONODE || answer == Code.NOAUTH) {
				lease.confirmed(sentAt, this.clock.getAsLong());
			}
		}, null);
	}

	/**
	 * Register a hold. It is lost at once if its session is not the current one any more;
	 * a session that ends later finds it registered.
	 */
	public void register(LeasedGrant hold) {
		this.holds.add(hold);
		wake();
		if (this.monitor.status().lease() != hold.lease()) {
			lose(hold);
		}
	}

	public void deregister(LeasedGrant hold) {
		this.holds.remove(hold);
	}

	public void tellStates() {
		this.holds.forEach(LeasedGrant::tellState);
	}

	public void sessionLost(SessionLease lease) {
		loseAll((hold) -> hold.lease() == lease);
	}

	/** Each holder is told of the loss before its node is deleted. */
	public void endAll() {
		for (LeasedGrant hold : Set.copyOf(this.holds)) {
			lose(hold);
			hold.end();
		}
		this.monitor.endWaits();
	}

	private void loseAll(Predicate<LeasedGrant> which) {
		this.holds.stream().filter(which).toList().forEach(this::lose);
	}

	private void lose(LeasedGrant hold) {
		this.holds.remove(hold);
		hold.lose();
	}

	@Override
	public void close() {
		this.closed = true;
		LockSupport.unpark(this.timer);
	}

	/** What is kept: it ends with the lease of its session. */
	public interface LeasedGrant {

		SessionLease lease();

		boolean isLost();

		/** Count as lost for good, unless it was released. */
		void lose();

		/** Tell the holder of a state that it does not know yet, on another thread. */
		void tellState();

		/** Called by the timer at each look. Must not block. */
		void tick(long now);

		/** End it, because its instance stops. Does not wait for the servers. */
		void end();

	}

}

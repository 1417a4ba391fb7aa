package io.interlock.zookeeper.internal.session;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Keeps the lease of the session while something depends on it, and ends the holds whose
 * session is over. Its timer also finds a connection that Curator has forgotten, because
 * no lease is kept without one. Invariant: a registered hold is either covered by the
 * lease of its own session or lost, and a hold that was lost never comes back.
 *
 * @since 0.1.0
 */
public final class LeaseKeeper implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LeaseKeeper.class);

	private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final SessionMonitor monitor;

	private final SessionObserver dependents;

	private final ForgottenConnection forgotten;

	private final Heartbeat heartbeat;

	private final Set<LeasedHold> holds = ConcurrentHashMap.newKeySet();

	private final Thread timer = new Thread(this::run, "interlock-lease");

	private volatile boolean resting;

	private volatile boolean closed;

	private boolean failing;

	public LeaseKeeper(SessionMonitor monitor, SessionObserver dependents, ForgottenConnection forgotten) {
		this.monitor = monitor;
		this.dependents = dependents;
		this.forgotten = forgotten;
		this.heartbeat = new Heartbeat(monitor);
		this.timer.setDaemon(true);
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
				logger.warn("Looking after the ZooKeeper session failed; the next look follows", failure);
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
		long now = System.nanoTime();
		this.forgotten.lookWhenDue(now);
		SessionStatus status = this.monitor.status();
		SessionLease lease = status.lease();
		if (lease != null) {
			care(lease, status.isConnected());
		}
		this.dependents.look();
	}

	private void care(SessionLease lease, boolean connected) {
		long now = System.nanoTime();
		// Asked again for each hold: one that came meanwhile has made the lease young.
		loseAll((hold) -> hold.isLost() || (hold.lease() == lease && lease.isOver(now)));
		tellStates();
		if (connected) {
			this.heartbeat.beatWhenDue(lease, now, isBusy());
			for (LeasedHold hold : this.holds) {
				hold.tick(now);
			}
		}
	}

	/**
	 * Register a hold. It is lost at once if its session is not the current one any more;
	 * a session that ends later finds it registered.
	 * @param hold the hold
	 */
	public void register(LeasedHold hold) {
		this.holds.add(hold);
		wake();
		if (this.monitor.status().lease() != hold.lease()) {
			lose(hold);
		}
	}

	public void deregister(LeasedHold hold) {
		this.holds.remove(hold);
	}

	/** Tell the holds of a state that has changed. */
	public void tellStates() {
		this.holds.forEach(LeasedHold::tellState);
	}

	public void sessionLost(SessionLease lease) {
		loseAll((hold) -> hold.lease() == lease);
	}

	/**
	 * End every remaining hold: its holder is told of the loss before the node is
	 * deleted.
	 */
	public void endAll() {
		for (LeasedHold hold : Set.copyOf(this.holds)) {
			lose(hold);
			hold.end();
		}
		this.monitor.endWaits();
	}

	private void loseAll(Predicate<LeasedHold> which) {
		this.holds.stream().filter(which).toList().forEach(this::lose);
	}

	private void lose(LeasedHold hold) {
		this.holds.remove(hold);
		hold.lose();
	}

	@Override
	public void close() {
		this.closed = true;
		LockSupport.unpark(this.timer);
	}

}

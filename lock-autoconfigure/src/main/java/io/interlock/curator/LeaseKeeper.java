package io.interlock.curator;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.Watcher.WatcherType;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the lease of the session while something depends on it, and ends the holds whose
 * session is over. Its timer also finds a connection that Curator has forgotten, because
 * no lease is kept without one. Invariant: a registered hold is either covered by the
 * lease of its own session or lost, and a hold that was lost never comes back.
 */
final class LeaseKeeper implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LeaseKeeper.class);

	private static final long TICK_MILLIS = 100;

	private final SessionMonitor monitor;

	private final ForgottenConnection forgotten;

	private final Heartbeat heartbeat;

	private final Set<CuratorLockHandle> holds = ConcurrentHashMap.newKeySet();

	private final ScheduledThreadPoolExecutor timer;

	LeaseKeeper(SessionMonitor monitor, ForgottenConnection forgotten) {
		this.monitor = monitor;
		this.forgotten = forgotten;
		this.heartbeat = new Heartbeat(monitor);
		this.timer = new ScheduledThreadPoolExecutor(1, (runnable) -> {
			Thread thread = new Thread(runnable, "interlock-lease");
			thread.setDaemon(true);
			return thread;
		});
		this.timer.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
	}

	void start() {
		this.timer.scheduleWithFixedDelay(this::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
	}

	private void tick() {
		try {
			this.forgotten.lookWhenDue(System.nanoTime());
			SessionStatus status = this.monitor.status();
			SessionLease lease = status.lease();
			if (lease != null) {
				care(lease, status.isConnected());
			}
		}
		catch (RuntimeException ex) {
			logger.debug("Looking after the session failed; the next look is due in %d ms".formatted(TICK_MILLIS), ex);
		}
	}

	private void care(SessionLease lease, boolean connected) {
		long now = System.nanoTime();
		// Asked again for each hold: one that came meanwhile has made the lease young.
		loseAll((hold) -> hold.isLost() || (hold.lease() == lease && lease.isOver(now)));
		if (connected) {
			this.heartbeat.beatWhenDue(lease, now, !this.holds.isEmpty());
			for (CuratorLockHandle hold : this.holds) {
				hold.watchWhenOld(now);
			}
		}
	}

	/**
	 * Take a hold into care. It is lost at once if its session is not the current one any
	 * more; a session that ends later finds it registered.
	 * @param hold the hold
	 */
	void register(CuratorLockHandle hold) {
		this.holds.add(hold);
		if (this.monitor.status().lease() != hold.lease()) {
			lose(hold);
		}
	}

	void deregister(CuratorLockHandle hold) {
		this.holds.remove(hold);
	}

	void sessionLost(SessionLease lease) {
		loseAll((hold) -> hold.lease() == lease);
	}

	/**
	 * End every hold that is left: lost to its holder first, then free for the next.
	 */
	void endAll() {
		for (CuratorLockHandle hold : Set.copyOf(this.holds)) {
			lose(hold);
			hold.closeAsync();
		}
	}

	private void loseAll(Predicate<CuratorLockHandle> which) {
		this.holds.stream().filter(which).toList().forEach(this::lose);
	}

	private void lose(CuratorLockHandle hold) {
		this.holds.remove(hold);
		hold.lose();
	}

	/**
	 * Find the lease of a node that was just created.
	 * @param node the node
	 * @return the lease, or {@code null} if the node belongs to another session than the
	 * client's
	 */
	@Nullable SessionLease leaseOf(LockNode node) {
		SessionLease lease = this.monitor.status().lease();
		if (lease == null || lease.sessionId() != node.sessionId()) {
			this.monitor.refresh();
			lease = this.monitor.status().lease();
		}
		return (lease != null && lease.sessionId() == node.sessionId()) ? lease : null;
	}

	/**
	 * Return the session that the client has at this moment, ahead of any event.
	 * @return its id; 0 while there is none
	 */
	long sessionId() {
		return this.monitor.handle().current().getSessionId();
	}

	/**
	 * Remove whatever watches of this client a node has. Its other watchers are told so
	 * and watch again.
	 * @param path the node
	 */
	void removeWatches(String path) {
		if (this.monitor.status().isConnected()) {
			ClientHandle handle = this.monitor.handle();
			handle.current().removeAllWatches(handle.absolute(path), WatcherType.Data, true, (code, at, context) -> {
			}, null);
		}
	}

	boolean isClosed() {
		return this.monitor.status().isClosed();
	}

	void awaitConnected() throws InterruptedException {
		this.monitor.awaitConnected();
	}

	@Override
	public void close() {
		this.timer.shutdown();
	}

}

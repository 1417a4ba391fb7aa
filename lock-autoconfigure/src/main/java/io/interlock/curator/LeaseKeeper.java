package io.interlock.curator;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the lease of the session while something depends on it, and ends the holds whose
 * session is over. Invariant: a registered hold is either covered by the lease of its own
 * session or lost, and a hold that was lost never comes back.
 * <p>
 * The beat never stops, so that a lease is good at the moment of a grant. It is
 * {@code sync} while nothing is held, which a follower that is cut off from its leader
 * cannot answer, unlike a read; and while something is held, a write that changes
 * nothing, which a leader that is cut off from its followers cannot answer either.
 */
final class LeaseKeeper implements AutoCloseable {

	private static final long TICK_MILLIS = 100;

	private static final long IDLE_TICK_MILLIS = 500;

	private final SessionMonitor monitor;

	private final Set<CuratorLockHandle> holds = ConcurrentHashMap.newKeySet();

	private final AtomicInteger contenders = new AtomicInteger();

	private final AtomicBoolean ticking = new AtomicBoolean();

	private final ScheduledThreadPoolExecutor timer;

	private volatile long beatSentAt = System.nanoTime() - TimeUnit.HOURS.toNanos(1);

	LeaseKeeper(SessionMonitor monitor) {
		this.monitor = monitor;
		this.timer = new ScheduledThreadPoolExecutor(1, (runnable) -> {
			Thread thread = new Thread(runnable, "interlock-lease");
			thread.setDaemon(true);
			return thread;
		});
		this.timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	void start() {
		this.timer.schedule(this::beatWhenIdle, 0, TimeUnit.MILLISECONDS);
	}

	private void beatWhenIdle() {
		try {
			beatWhenDue();
		}
		finally {
			if (!this.timer.isShutdown()) {
				this.timer.schedule(this::beatWhenIdle, IDLE_TICK_MILLIS, TimeUnit.MILLISECONDS);
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
		keepTicking();
	}

	void deregister(CuratorLockHandle hold) {
		this.holds.remove(hold);
	}

	void contending() {
		this.contenders.incrementAndGet();
		keepTicking();
	}

	void contended() {
		this.contenders.decrementAndGet();
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

	private void keepTicking() {
		if (!this.ticking.get() && this.ticking.compareAndSet(false, true)) {
			schedule();
		}
	}

	private void schedule() {
		if (!this.timer.isShutdown()) {
			this.timer.schedule(this::tick, TICK_MILLIS, TimeUnit.MILLISECONDS);
		}
	}

	private void tick() {
		try {
			SessionLease lease = this.monitor.status().lease();
			if (lease != null) {
				care(lease);
			}
		}
		finally {
			this.ticking.set(false);
			if (!this.holds.isEmpty() || this.contenders.get() > 0) {
				keepTicking();
			}
		}
	}

	private void care(SessionLease lease) {
		long now = System.nanoTime();
		// Asked again for each hold: one that came meanwhile has made the lease young.
		loseAll((hold) -> hold.lease() == lease && lease.isOver(now));
		if (!this.monitor.status().isConnected()) {
			return;
		}
		beatWhenDue();
		for (CuratorLockHandle hold : this.holds) {
			hold.watchWhenOld(now);
		}
	}

	private void beatWhenDue() {
		SessionStatus status = this.monitor.status();
		SessionLease lease = status.lease();
		long now = System.nanoTime();
		if (lease != null && status.isConnected() && now - this.beatSentAt >= lease.beatNanos()) {
			this.beatSentAt = now;
			beat(lease, now);
		}
	}

	private void beat(SessionLease lease, long sentAt) {
		ZooKeeper zooKeeper = this.monitor.handle().current();
		if (zooKeeper.getSessionId() != lease.sessionId()) {
			return;
		}
		if (this.holds.isEmpty()) {
			zooKeeper.sync("/", (code, path, context) -> {
				if (code == Code.OK.intValue()) {
					lease.answered(sentAt, System.nanoTime());
				}
			}, null);
		}
		else {
			zooKeeper.multi(List.of(Op.check("/", -1)), (code, path, context, results) -> {
				if (isFromQuorum(Code.get(code))) {
					lease.confirmed(sentAt, System.nanoTime());
				}
			}, null);
		}
	}

	/**
	 * A check that fails is agreed upon like one that succeeds.
	 */
	private static boolean isFromQuorum(Code code) {
		return code == Code.OK || code == Code.NONODE || code == Code.NOAUTH;
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

	void awaitConnected() throws InterruptedException {
		this.monitor.awaitConnected();
	}

	@Override
	public void close() {
		this.timer.shutdown();
	}

}

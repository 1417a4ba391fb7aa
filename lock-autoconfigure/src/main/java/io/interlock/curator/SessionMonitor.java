package io.interlock.curator;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.interlock.curator.SessionSnapshot.State;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.curator.utils.ZKPaths;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Knows the session and the state of its connection. It listens to ZooKeeper's own events
 * and, since other listeners may hold up either, to Curator's states too; a state that
 * arrives late is held against the connection as it is. Invariant: status changes are
 * serialized by one lock, and a lease is replaced only together with the session.
 */
final class SessionMonitor implements CuratorListener, ConnectionStateListener, AutoCloseable {

	private static final Duration RECHECK = Duration.ofMillis(500);

	private final CuratorFramework client;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private volatile Status status = new Status(State.CONNECTING, Instant.now(), null, 0);

	private volatile @Nullable SessionObserver observer;

	SessionMonitor(CuratorFramework client) {
		this.client = client;
	}

	void start(SessionObserver observer) {
		this.observer = observer;
		this.client.getCuratorListenable().addListener(this);
		this.client.getConnectionStateListenable().addListener(this);
		refresh();
	}

	@Override
	public void close() {
		this.client.getCuratorListenable().removeListener(this);
		this.client.getConnectionStateListenable().removeListener(this);
		leave(State.CLOSED);
	}

	@Override
	public void eventReceived(CuratorFramework client, CuratorEvent event) {
		WatchedEvent watched = event.getWatchedEvent();
		if (event.getType() == CuratorEventType.CLOSING) {
			leave(State.CLOSED);
		}
		else if (event.getType() == CuratorEventType.WATCHED && watched.getType() == EventType.None) {
			switch (watched.getState()) {
				case SyncConnected -> refresh();
				case Expired -> leave(State.LOST);
				case SaslAuthenticated -> {
				}
				default -> leave(State.SUSPENDED);
			}
		}
	}

	@Override
	public void stateChanged(CuratorFramework client, ConnectionState state) {
		if (refresh()) {
			return;
		}
		switch (state) {
			case LOST -> leave(State.LOST);
			case SUSPENDED, READ_ONLY -> leave(State.SUSPENDED);
			default -> {
			}
		}
	}

	/**
	 * Take over the session that the client has, if it is connected.
	 * @return whether it is connected
	 */
	boolean refresh() {
		SessionLease replaced;
		this.lock.lock();
		try {
			ZooKeeper zooKeeper = connectedZooKeeper();
			if (zooKeeper == null || this.status.state() == State.CLOSED) {
				return false;
			}
			SessionLease before = this.status.lease();
			SessionLease lease = leaseOf(zooKeeper, before);
			if (this.status.isConnected() && lease == before) {
				return true;
			}
			this.status = new Status(State.CONNECTED, Instant.now(), lease, this.status.epoch());
			replaced = (lease != before) ? before : null;
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
		tell(replaced, true);
		return true;
	}

	/**
	 * Read under the lock: a change after the read has its event after it too.
	 */
	private @Nullable ZooKeeper connectedZooKeeper() {
		if (this.client.getState() != CuratorFrameworkState.STARTED
				|| !this.client.getZookeeperClient().isConnected()) {
			return null;
		}
		ZooKeeper zooKeeper = zooKeeper();
		return (zooKeeper.getState() == ZooKeeper.States.CONNECTED && zooKeeper.getSessionId() != 0) ? zooKeeper : null;
	}

	private static SessionLease leaseOf(ZooKeeper zooKeeper, @Nullable SessionLease before) {
		long id = zooKeeper.getSessionId();
		Duration timeout = Duration.ofMillis(zooKeeper.getSessionTimeout());
		return (before != null && before.sessionId() == id && before.timeout().equals(timeout)) ? before
				: new SessionLease(id, timeout, System.nanoTime());
	}

	private void leave(State state) {
		SessionLease gone;
		this.lock.lock();
		try {
			Status before = this.status;
			if (before.state() == state || before.state() == State.CLOSED
					|| (before.lease() == null && state != State.CLOSED)) {
				return;
			}
			gone = (state != State.SUSPENDED) ? before.lease() : null;
			SessionLease kept = (state == State.SUSPENDED) ? before.lease() : null;
			this.status = new Status(state, Instant.now(), kept, before.epoch() + 1);
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
		tell(gone, false);
	}

	private void tell(@Nullable SessionLease gone, boolean connected) {
		SessionObserver listening = this.observer;
		if (listening == null) {
			return;
		}
		if (gone != null) {
			listening.sessionLost(gone);
		}
		if (connected) {
			listening.connected();
		}
	}

	/**
	 * Wait for a connection.
	 * @throws InterruptedException if the thread is interrupted
	 * @throws ClientClosedException if the client is closed, so that none will come
	 */
	void awaitConnected() throws InterruptedException {
		awaitConnected(Long.MAX_VALUE);
	}

	/**
	 * Wait for a connection.
	 * @param nanos how long
	 * @return whether there is one
	 * @throws InterruptedException if the thread is interrupted
	 * @throws ClientClosedException if the client is closed, so that none will come
	 */
	boolean awaitConnected(long nanos) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		long startedAt = System.nanoTime();
		while (!this.status.isConnected() && !refresh()) {
			if (this.status.state() == State.CLOSED) {
				throw new ClientClosedException();
			}
			long left = nanos - (System.nanoTime() - startedAt);
			if (left <= 0) {
				return false;
			}
			this.lock.lockInterruptibly();
			try {
				if (!this.status.isConnected() && this.status.state() != State.CLOSED) {
					this.changed.await(Math.min(left, RECHECK.toNanos()), TimeUnit.NANOSECONDS);
				}
			}
			finally {
				this.lock.unlock();
			}
		}
		return true;
	}

	/**
	 * Return whether a session surely stands: no I/O, one volatile read, the clock last.
	 * @param lease the lease of the session
	 * @return whether it was good when the clock was read
	 */
	boolean isGood(SessionLease lease) {
		Status now = this.status;
		return now.isConnected() && now.lease() == lease && lease.isGood(System.nanoTime());
	}

	/**
	 * Return whether the servers have answered lately, so that an answer which is missing
	 * is not their silence.
	 * @return whether contention can be told from an outage
	 */
	boolean answersLately() {
		Status now = this.status;
		SessionLease lease = now.lease();
		return now.isConnected() && lease != null && lease.isFresh(System.nanoTime());
	}

	boolean isConnected() {
		return this.status.isConnected();
	}

	@Nullable SessionLease lease() {
		return this.status.lease();
	}

	/**
	 * Return a number that changes whenever the connection is interrupted.
	 * @return the epoch of the connection
	 */
	long epoch() {
		return this.status.epoch();
	}

	SessionSnapshot snapshot() {
		Status now = this.status;
		SessionLease lease = now.lease();
		return new SessionSnapshot(now.state(), now.since(), (lease != null) ? lease.sessionId() : null,
				(lease != null) ? lease.timeout() : null);
	}

	/**
	 * Return the connection of this moment. Curator throws failures of other threads from
	 * here, each once: they do not concern us.
	 * @return the client's current handle
	 */
	ZooKeeper zooKeeper() {
		for (int tries = 1;; tries++) {
			try {
				return this.client.getZookeeperClient().getZooKeeper();
			}
			catch (Exception ex) {
				if (tries == 20) {
					throw new IllegalStateException("Curator has no ZooKeeper handle", ex);
				}
			}
		}
	}

	/**
	 * Return a path as the handle needs it, which knows no namespace.
	 * @param path a path of Curator's
	 * @return the path below the namespace of the client
	 */
	String absolute(String path) {
		return ZKPaths.fixForNamespace(this.client.getNamespace(), path);
	}

	private record Status(State state, Instant since, @Nullable SessionLease lease, long epoch) {

		boolean isConnected() {
			return this.state == State.CONNECTED;
		}

	}

}

package io.interlock.zookeeper.internal.session;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.interlock.zookeeper.SessionSnapshot.State;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Knows the session and the state of its connection. It listens to ZooKeeper's own events
 * and, since other listeners may hold up either, to Curator's states too; what arrives
 * late, perhaps from an earlier handle, is held against the connection as it is.
 * Invariant: status changes are serialized by one lock, under which the connection is
 * read too, so that a change after the read has its event after it; and a lease is
 * replaced only together with the session.
 * <p>
 * Threads wait here for the connection. Invariant: a change of the status that is told
 * wakes every thread that had not seen it, because a thread that is about to sleep looks
 * at the status under the lock that the news takes. A connection that no event tells of
 * is found by looking again.
 *
 * @since 0.1.0
 */
public final class SessionMonitor implements CuratorListener, ConnectionStateListener, AutoCloseable {

	private static final long RECHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private final CuratorFramework client;

	private final ClientHandle handle;

	private final ReentrantLock lock = new ReentrantLock();

	private final ReentrantLock waitLock = new ReentrantLock();

	private final Condition changed = this.waitLock.newCondition();

	private volatile boolean waitsEnded;

	private volatile SessionStatus status = SessionStatus.initial();

	private volatile @Nullable Observer observer;

	private final @Nullable Long clientStartedAt;

	/** Lower bound for the creation time of a session that is first seen now. */
	private volatile @Nullable Long ownSessionsSince;

	private @Nullable SessionLease lost;

	public SessionMonitor(CuratorFramework client, @Nullable Long clientStartedAt) {
		this.client = client;
		this.clientStartedAt = clientStartedAt;
		this.handle = new ClientHandle(client);
	}

	public void start(Observer observer) {
		this.observer = observer;
		this.client.getCuratorListenable().addListener(this);
		this.client.getConnectionStateListenable().addListener(this);
		long before = System.nanoTime();
		refresh();
		this.ownSessionsSince = before;
	}

	@Override
	public void close() {
		this.client.getCuratorListenable().removeListener(this);
		this.client.getConnectionStateListenable().removeListener(this);
		leave(State.CLOSED);
	}

	@Override
	public void eventReceived(CuratorFramework client, CuratorEvent event) {
		if (event.getType() == CuratorEventType.CLOSING) {
			leave(State.CLOSED);
		}
		else if (event.getType() == CuratorEventType.WATCHED && event.getWatchedEvent().getType() == EventType.None
				&& !refresh()) {
			switch (event.getWatchedEvent().getState()) {
				case Expired -> leave(State.LOST);
				case SyncConnected, SaslAuthenticated -> {
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

	/** Take over the session that the client has, if it is connected. */
	public boolean refresh() {
		SessionLease before;
		SessionLease lease;
		this.lock.lock();
		try {
			long number = this.handle.number();
			ZooKeeper zooKeeper = this.handle.connected();
			if (zooKeeper == null || number != this.handle.number() || this.status.isClosed()) {
				return false;
			}
			before = this.status.lease();
			lease = lease(zooKeeper.getSessionId(), Duration.ofMillis(zooKeeper.getSessionTimeout()));
			if (this.status.isConnected() && lease == before) {
				return true;
			}
			lease.resumed(System.nanoTime(), connectedAfter(zooKeeper));
			this.status = this.status.connected(lease, number, zooKeeper);
		}
		finally {
			this.lock.unlock();
		}
		tellWaiting();
		if (lease != before) {
			tellLost(before);
		}
		if (this.observer != null) {
			this.observer.connected();
		}
		return true;
	}

	private static @Nullable Long connectedAfter(ZooKeeper zooKeeper) {
		return (zooKeeper instanceof TimedZooKeeper timed) ? timed.connectedAfter() : null;
	}

	private SessionLease lease(long id, Duration timeout) {
		SessionLease current = this.status.lease();
		if (current != null) {
			return current.continuedBy(id, timeout);
		}
		if (this.lost != null) {
			return this.lost.succeededBy(id, timeout);
		}
		Long since = this.ownSessionsSince;
		return (since != null) ? new SessionLease(id, timeout, since)
				: SessionLease.ofConnected(id, timeout, System.nanoTime(), this.clientStartedAt);
	}

	private void leave(State state) {
		SessionLease before;
		this.lock.lock();
		try {
			if (!this.status.canBecome(state)) {
				return;
			}
			before = this.status.lease();
			if (before != null && state != State.SUSPENDED) {
				this.lost = before;
			}
			this.status = this.status.left(state);
		}
		finally {
			this.lock.unlock();
		}
		tellWaiting();
		if (state != State.SUSPENDED) {
			tellLost(before);
		}
		else if (this.observer != null) {
			this.observer.suspended();
		}
	}

	private void tellLost(@Nullable SessionLease lease) {
		if (lease != null && this.observer != null) {
			this.observer.sessionLost(lease);
		}
	}

	/** Let no thread wait any more: the instance stops, its client may live on. */
	public void endWaits() {
		this.waitsEnded = true;
		tellWaiting();
	}

	private void tellWaiting() {
		this.waitLock.lock();
		try {
			this.changed.signalAll();
		}
		finally {
			this.waitLock.unlock();
		}
	}

	public boolean awaitConnected(long nanos) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		long startedAt = System.nanoTime();
		while (!this.status.isConnected() && !refresh()) {
			if (isWaitOver()) {
				throw new ClientClosedException();
			}
			long left = nanos - (System.nanoTime() - startedAt);
			if (left <= 0) {
				return false;
			}
			awaitChange(Math.min(left, RECHECK_NANOS));
		}
		return true;
	}

	private boolean isWaitOver() {
		return this.waitsEnded || this.status.isClosed();
	}

	private void awaitChange(long nanos) throws InterruptedException {
		this.waitLock.lockInterruptibly();
		try {
			if (!this.status.isConnected() && !isWaitOver()) {
				this.changed.await(nanos, TimeUnit.NANOSECONDS);
			}
		}
		finally {
			this.waitLock.unlock();
		}
	}

	/** Return what is known now: no I/O, one volatile read. */
	public SessionStatus status() {
		return this.status;
	}

	public boolean isGood(SessionLease session) {
		return this.status.isConnected() && covers(session) && session.isSteady();
	}

	/** What may have ended the session is read after the clock. */
	public boolean covers(SessionLease session) {
		return session.isGood(System.nanoTime()) && !this.status.hasEnded(session, this.handle.number());
	}

	public boolean hasEnded(SessionLease session) {
		return this.status.hasEnded(session, this.handle.number()) || session.isOver(System.nanoTime());
	}

	public ClientHandle handle() {
		return this.handle;
	}

	/** Told of changes of the session, on the client's event threads: must not block. */
	public interface Observer {

		void connected();

		void suspended();

		void sessionLost(SessionLease lease);

		/** Return whether {@link #look} has to be called every now and then. */
		boolean isWaiting();

		/** Continue waiting attempts. Called by a timer: must not block. */
		void look();

	}

}

package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.interlock.LockId;
import io.interlock.LockServiceUnavailableException;
import io.interlock.zookeeper.internal.node.InstanceDetails;
import io.interlock.zookeeper.internal.node.LockNode;
import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.node.NodeNames;
import io.interlock.zookeeper.internal.node.OwnerRecords;
import io.interlock.zookeeper.internal.session.BackgroundThreads;
import io.interlock.zookeeper.internal.session.ClientClosedException;
import io.interlock.zookeeper.internal.session.ConnectionLog;
import io.interlock.zookeeper.internal.session.ForgottenConnection;
import io.interlock.zookeeper.internal.session.LeaseKeeper;
import io.interlock.zookeeper.internal.session.SessionLease;
import io.interlock.zookeeper.internal.session.SessionMonitor;
import io.interlock.zookeeper.internal.session.SessionObserver;
import io.interlock.zookeeper.internal.session.SessionStatus;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Shared parts of the attempts and holds of one provider: the session, its lease, the
 * deletions that are owed, and the timer. Safe for use by many threads.
 */
final class Engine implements SessionObserver, AutoCloseable {

	/**
	 * How long a stop waits for the servers to confirm the last releases.
	 */
	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

	private final CuratorFramework client;

	private final ZooKeeperLockSettings settings;

	private final LockPaths paths;

	private final SessionMonitor monitor;

	private final LeaseKeeper keeper;

	private final Deletions deletions;

	private final Verification verification;

	private final BackgroundThreads threads;

	private final ParentReaper parents;

	private final NodeCreator creator;

	private final NodeNames names;

	private final OwnerRecords ownerRecords;

	private final Runnable onSuspended;

	private final ConnectionLog connectionLog;

	private final Set<Attempt> attempts = ConcurrentHashMap.newKeySet();

	private final Set<String> disagreements = ConcurrentHashMap.newKeySet();

	private final Blockers blockers = new Blockers();

	Engine(CuratorFramework client, ZooKeeperLockSettings settings, @Nullable ACLProvider acl,
			@Nullable Long clientStartedAt, IdleParents idleParents, Runnable onSuspended) {
		this.client = client;
		this.settings = settings;
		this.onSuspended = onSuspended;
		this.connectionLog = new ConnectionLog(client, settings.failFast());
		this.paths = new LockPaths(settings.rootPath(), settings.keyAgreement().hash());
		this.monitor = new SessionMonitor(client, clientStartedAt);
		this.threads = new BackgroundThreads();
		this.keeper = new LeaseKeeper(this.monitor, this, new ForgottenConnection(this.monitor.handle(), this.threads));
		this.deletions = new Deletions(this.monitor, this.keeper::wake);
		this.verification = new Verification(this.monitor, settings.verifyTimeout());
		this.parents = new ParentReaper(this.monitor, idleParents);
		this.creator = new NodeCreator(client, acl);
		this.names = new NodeNames();
		InstanceDetails details = settings.details();
		this.ownerRecords = new OwnerRecords(details.application(), settings.instanceId(), details.host(),
				details.pid(), settings.lockData(), settings.keyAgreement().hash() != null);
	}

	void start() {
		this.monitor.start(this);
		this.keeper.start();
	}

	void add(Attempt attempt) {
		this.parents.use(attempt.lockPath());
		this.attempts.add(attempt);
		this.keeper.wake();
	}

	/**
	 * Learn of a connection that no event has told of yet. Only the timer asks: it may
	 * have to wait until Curator has closed the last handle.
	 */
	private void refreshIfDisconnected() {
		if (!this.monitor.status().isConnected()) {
			this.monitor.refresh();
		}
	}

	/**
	 * Return the lease of a node's session.
	 * @param node a node of this instance
	 * @return the lease, or {@code null} if the session is not the current one
	 */
	@Nullable SessionLease leaseOf(LockNode node) {
		SessionLease lease = this.monitor.status().lease();
		return (lease != null && lease.sessionId() == node.sessionId()) ? lease : null;
	}

	/**
	 * Note that instances disagree about the permits of a semaphore.
	 * @return whether it is the first time for that name
	 */
	boolean isFirstDisagreement(String name) {
		return this.disagreements.add(name);
	}

	void remove(Attempt attempt) {
		this.attempts.remove(attempt);
	}

	/**
	 * Return what sends requests in the current session.
	 * @return {@code null} without a connection, and before the instances agree on keys
	 * @throws ClientClosedException if there will be none
	 */
	@Nullable Requests requests() {
		SessionStatus status = this.monitor.status();
		if (status.isClosed()) {
			throw new ClientClosedException();
		}
		return (status.isConnected() && this.settings.keyAgreement().isReached()) ? anyRequests() : null;
	}

	/**
	 * Return what sends requests, even while the connection is interrupted.
	 */
	@Nullable Requests anyRequests() {
		ZooKeeper zooKeeper = this.monitor.status().zooKeeper();
		return (zooKeeper != null) ? new Requests(zooKeeper, this.monitor.handle()) : null;
	}

	/**
	 * Delete what an attempt leaves behind, and end its use of the lock.
	 * @param node path of its node, if it is known
	 * @param prefix start of the names of its nodes, if an answer to a creation was lost
	 */
	void leave(String lockPath, @Nullable String node, @Nullable String prefix) {
		CompletableFuture<?> gone = (node != null) ? this.deletions.delete(node)
				: CompletableFuture.completedFuture(null);
		if (prefix != null) {
			gone = gone.thenCombine(this.deletions.deleteAll(lockPath, prefix), (one, all) -> all);
		}
		gone.whenComplete((result, failure) -> this.parents.end(lockPath));
	}

	void failAttempts(Function<LockId, LockServiceUnavailableException> failure) {
		this.attempts.forEach((attempt) -> attempt.fail(failure.apply(attempt.request().id())));
	}

	@Override
	public void connected() {
		this.connectionLog.connected(this.monitor.status());
		this.keeper.tellStates();
		this.deletions.resume();
		this.attempts.forEach(Attempt::resume);
	}

	@Override
	public void suspended() {
		SessionLease lease = this.monitor.status().lease();
		if (lease != null) {
			logOutage(lease);
		}
		this.keeper.tellStates();
		this.keeper.wake();
		this.onSuspended.run();
	}

	@Override
	public void sessionLost(SessionLease lease) {
		logOutage(lease);
		this.keeper.sessionLost(lease);
	}

	/** Log an outage, and its end if another thread has passed this one with the news. */
	private void logOutage(SessionLease lease) {
		this.connectionLog.interrupted(this.monitor.status(), lease);
		this.connectionLog.connected(this.monitor.status());
	}

	@Override
	public boolean isWaiting() {
		return !this.attempts.isEmpty() || this.deletions.isWaiting();
	}

	@Override
	public void look() {
		refreshIfDisconnected();
		this.threads.resume();
		this.deletions.resume();
		this.attempts.forEach(Attempt::resume);
	}

	CuratorFramework client() {
		return this.client;
	}

	ZooKeeperLockSettings settings() {
		return this.settings;
	}

	LockPaths paths() {
		return this.paths;
	}

	SessionMonitor monitor() {
		return this.monitor;
	}

	LeaseKeeper keeper() {
		return this.keeper;
	}

	Deletions deletions() {
		return this.deletions;
	}

	Verification verification() {
		return this.verification;
	}

	BackgroundThreads threads() {
		return this.threads;
	}

	ParentReaper parents() {
		return this.parents;
	}

	NodeCreator creator() {
		return this.creator;
	}

	OwnerRecords ownerRecords() {
		return this.ownerRecords;
	}

	NodeNames names() {
		return this.names;
	}

	Blockers blockers() {
		return this.blockers;
	}

	@Override
	public void close() {
		this.keeper.endAll();
		this.deletions.await(CLOSE_TIMEOUT);
		this.monitor.close();
		this.keeper.close();
		this.threads.close();
	}

}

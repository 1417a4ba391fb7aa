package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;

import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.zookeeper.internal.node.LockParent;
import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.node.NodeName;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import io.interlock.zookeeper.internal.session.BackgroundThreads;
import io.interlock.zookeeper.internal.session.ClientClosedException;
import io.interlock.zookeeper.internal.session.ConnectionLog;
import io.interlock.zookeeper.internal.session.ForgottenConnection;
import io.interlock.zookeeper.internal.session.SessionKeeper;
import io.interlock.zookeeper.internal.session.SessionLease;
import io.interlock.zookeeper.internal.session.SessionMonitor;
import io.interlock.zookeeper.internal.session.SessionStatus;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.proto.CreateRequest;
import org.jspecify.annotations.Nullable;

/**
 * The engine on a client of Curator: the session, its lease, the deletions that are owed,
 * and the timer. Safe for use by many threads.
 */
final class ZooKeeperEngine implements Engine, SessionMonitor.Observer, AutoCloseable {

	/** How long a stop waits for the servers to confirm the last releases. */
	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

	private final CuratorFramework client;

	private final ZooKeeperLockSettings settings;

	private final LockPaths paths;

	private final SessionMonitor monitor;

	private final SessionKeeper keeper;

	private final Deletions deletions;

	private final Verification verification;

	private final BackgroundThreads threads;

	private final ParentReaper parents;

	private final @Nullable ACLProvider acl;

	private final NodeName.Prefixes names;

	private final OwnerRecord ownerRecords;

	private final Runnable onSuspended;

	private final ConnectionLog connectionLog;

	/** One for all callers, so that their writes travel together. */
	private final AtomicReference<@Nullable HandleRequests> newest = new AtomicReference<>();

	private final Set<Attempt> attempts = ConcurrentHashMap.newKeySet();

	private final NodeWarnings warnings;

	ZooKeeperEngine(CuratorFramework client, ZooKeeperLockSettings settings, @Nullable ACLProvider acl,
			@Nullable Long clientStartedAt, IdleParents idleParents, Runnable onSuspended) {
		this.client = client;
		this.settings = settings;
		this.onSuspended = onSuspended;
		this.connectionLog = new ConnectionLog(client, settings.failFast());
		this.paths = new LockPaths(settings.rootPath(), LockParent.isPlainWith(client));
		this.monitor = new SessionMonitor(client, clientStartedAt);
		this.warnings = new NodeWarnings(this.monitor);
		this.threads = new BackgroundThreads();
		this.keeper = new SessionKeeper(this.monitor, this,
				new ForgottenConnection(this.monitor.handle(), this.threads));
		this.deletions = new Deletions(this, this.keeper::wake);
		this.verification = new Verification(this.monitor, settings.verifyTimeout());
		this.parents = new ParentReaper(this.monitor, idleParents, settings.rootPath());
		this.acl = acl;
		this.names = new NodeName.Prefixes();
		this.ownerRecords = new OwnerRecord(settings.instanceId(), settings.details(), settings.lockData());
	}

	void start() {
		this.monitor.start(this);
		this.keeper.start();
	}

	@Override
	public void add(Attempt attempt, String lockPath) {
		this.parents.use(lockPath);
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

	@Override
	public void disagree(LockRequest request, int otherPermits) {
		this.warnings.disagree(request, otherPermits);
	}

	@Override
	public void ignore(String path) {
		this.warnings.ignore(path);
	}

	@Override
	public void remove(Attempt attempt) {
		this.attempts.remove(attempt);
	}

	@Override
	public @Nullable Requests requests() {
		SessionStatus status = this.monitor.status();
		if (status.isClosed()) {
			throw new ClientClosedException();
		}
		return status.isConnected() ? anyRequests() : null;
	}

	@Override
	public @Nullable Requests anyRequests() {
		ZooKeeper zooKeeper = this.monitor.status().zooKeeper();
		return (zooKeeper != null) ? this.newest.updateAndGet((last) -> (last != null && last.isOf(zooKeeper)) ? last
				: new HandleRequests(zooKeeper, this.monitor.handle(), this.settings.writeWindow())) : null;
	}

	@Override
	public void create(Requests requests, String path, byte[] data, CreateMode mode, Requests.Creation answer) {
		requests.create(path, data, acl(path), mode, answer);
	}

	@Override
	public void replace(Requests requests, String path, String by, byte[] data, Consumer<Code> answer) {
		requests.replace(path, by, data, acl(by), answer);
	}

	private List<ACL> acl(String path) {
		return (this.acl != null) ? this.acl.getAclForPath(path) : aclOfClient(path);
	}

	/**
	 * Return the ACL that the client of an application gives to a node. Its provider
	 * cannot be read, so the client is asked for an operation of a transaction, which is
	 * never sent. Curator tells the provider the whole path, except in transactions of a
	 * client with a namespace; so one without a namespace is asked.
	 */
	private List<ACL> aclOfClient(String path) {
		try {
			CuratorOp creation = this.client.usingNamespace(null)
				.transactionOp()
				.create()
				.forPath(absolute(path), new byte[0]);
			return ((CreateRequest) creation.get().toRequestRecord()).getAcl();
		}
		catch (RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new IllegalStateException("The ACL of %s cannot be determined".formatted(path), ex);
		}
	}

	@Override
	public long now() {
		return System.nanoTime();
	}

	@Override
	public long serverTimeAhead() {
		return this.monitor.handle().serverTimeAhead(now());
	}

	@Override
	public SessionStatus status() {
		return this.monitor.status();
	}

	@Override
	public boolean isGood(SessionLease session) {
		return this.monitor.isGood(session);
	}

	@Override
	public boolean covers(SessionLease session) {
		return this.monitor.covers(session);
	}

	@Override
	public boolean hasEnded(SessionLease session) {
		return this.monitor.hasEnded(session);
	}

	@Override
	public void register(NodeGrant hold) {
		this.keeper.register(hold);
	}

	@Override
	public void deregister(NodeGrant hold) {
		this.keeper.deregister(hold);
	}

	@Override
	public void endUse(String lockPath) {
		this.parents.end(lockPath);
	}

	@Override
	public void makeWithRoot(LockParent parent, Consumer<@Nullable Throwable> answer) {
		execute(() -> {
			try {
				parent.create(this.client);
			}
			catch (Throwable ex) {
				answer.accept(ex);
				return;
			}
			answer.accept(null);
		});
	}

	@Override
	public void verify(List<NodeGrant> holds) {
		this.verification.verify(holds);
	}

	void execute(Runnable task) {
		this.threads.execute(task);
	}

	@Override
	public void tell(Runnable news) {
		this.threads.tell(news);
	}

	@Override
	public String absolute(String path) {
		return this.monitor.handle().absolute(path);
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
		this.parents.sweepWhenDue();
	}

	CuratorFramework client() {
		return this.client;
	}

	@Override
	public ZooKeeperLockSettings settings() {
		return this.settings;
	}

	@Override
	public LockPaths paths() {
		return this.paths;
	}

	SessionMonitor monitor() {
		return this.monitor;
	}

	@Override
	public Deletions deletions() {
		return this.deletions;
	}

	@Override
	public OwnerRecord ownerRecords() {
		return this.ownerRecords;
	}

	@Override
	public NodeName.Prefixes names() {
		return this.names;
	}

	/**
	 * Delete nodes for as long as the client lives, also what is not answered in time.
	 */
	@Override
	public void close() {
		this.keeper.endAll();
		this.deletions.await(CLOSE_TIMEOUT).whenComplete((done, failure) -> end());
	}

	private void end() {
		this.monitor.close();
		this.deletions.resume();
		this.keeper.close();
		this.threads.close();
	}

}

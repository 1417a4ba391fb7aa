package io.interlock.curator;

import java.util.List;
import java.util.concurrent.TimeUnit;

import io.interlock.LockAttempt.Phase;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.WatcherRemoveCuratorFramework;
import org.apache.curator.framework.recipes.locks.LockInternalsDriver;
import org.apache.curator.framework.recipes.locks.PredicateResults;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Decides for Curator's mutex which node is made and when it has the lock. Invariant: a
 * grant is handed out only for a node of the session that the client has after the hold
 * was registered, so that whatever ends that session later finds the hold (CURATOR-604).
 * <p>
 * Serves one attempt on one thread.
 */
final class GuardedLockDriver implements LockInternalsDriver {

	private static final int CREATIONS_AT_ONCE = 20;

	private static final long PAUSE_MILLIS = 100;

	private final Contest contest;

	private final LeaseKeeper keeper;

	private @Nullable WatcherRemoveCuratorFramework watches;

	private @Nullable LockNode node;

	private @Nullable CuratorLockHandle grant;

	private @Nullable String watched;

	private boolean contended;

	GuardedLockDriver(Contest contest, LeaseKeeper keeper) {
		this.contest = contest;
		this.keeper = keeper;
	}

	@Override
	public String createsTheLock(CuratorFramework client, String path, byte @Nullable [] ignored) throws Exception {
		this.watches = (client instanceof WatcherRemoveCuratorFramework removable) ? removable : null;
		this.contest.enter(Phase.CREATING);
		String prefix = path.substring(0, path.lastIndexOf('/') + 1) + this.contest.nodePrefix();
		Stat stat = new Stat();
		long sentAt = System.nanoTime();
		String created = create(client, prefix, stat);
		if (stat.getCzxid() == 0) {
			// A create whose answer was lost is found again, without its Stat.
			stat = client.checkExists().forPath(created);
			if (stat == null) {
				throw new NoNodeException(created);
			}
		}
		LockNode ours = new LockNode(created, stat.getCzxid(), stat.getEphemeralOwner(), sentAt);
		SessionLease lease = this.keeper.leaseOf(ours);
		if (lease != null) {
			// A deadline before the first beat must find out that the servers answer.
			lease.confirmed(sentAt, System.nanoTime());
		}
		this.node = ours;
		return created;
	}

	/**
	 * Create the node. The parent may be deleted between its creation and ours: then both
	 * are created again at once, for Curator would pause first.
	 */
	private String create(CuratorFramework client, String prefix, Stat stat) throws Exception {
		for (int tries = 1;; tries++) {
			try {
				return client.create()
					.storingStatIn(stat)
					.withProtection()
					.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
					.forPath(prefix, this.contest.nodeData());
			}
			catch (NoNodeException ex) {
				if (tries == CREATIONS_AT_ONCE) {
					throw ex;
				}
				createParent(client);
			}
		}
	}

	private void createParent(CuratorFramework client) throws Exception {
		try {
			LockContainer.create(client, this.contest.lockPath());
		}
		catch (NoNodeException ex) {
			if (client.checkExists().forPath("/") == null) {
				throw new MissingChrootException(ex);
			}
		}
	}

	@Override
	public PredicateResults getsTheLock(CuratorFramework client, List<String> children, String ourName, int maxLeases)
			throws Exception {
		LockNode ours = this.node;
		if (ours == null) {
			throw new IllegalStateException("No node was created for " + ourName);
		}
		String blocker = blockerOf(ourName, children, client, ours);
		if (blocker == null) {
			this.grant = grant(client, ours);
			return new PredicateResults(null, true);
		}
		this.contended = true;
		this.contest.enter(Phase.QUEUED);
		if (!this.contest.waits()) {
			throw new HeldByOthersException();
		}
		this.watched = ours.path().substring(0, ours.path().lastIndexOf('/') + 1) + blocker;
		return new PredicateResults(blocker, false);
	}

	private @Nullable String blockerOf(String ourName, List<String> children, CuratorFramework client, LockNode ours)
			throws Exception {
		String parent = ours.path().substring(0, ours.path().lastIndexOf('/'));
		String blocker = null;
		for (Contender contender : ContenderOrder.order(Contender.parseAll(children), client, parent)) {
			if (contender.name().equals(ourName)) {
				return blocker;
			}
			if (contender.excludes(this.contest.request().mode())) {
				blocker = contender.name();
			}
		}
		throw new NoNodeException(ours.path());
	}

	/**
	 * Hand out the hold, once it is certain.
	 * @throws NoNodeException if the node belongs to another session or is gone, so that
	 * another one must be created
	 */
	private CuratorLockHandle grant(CuratorFramework client, LockNode ours) throws Exception {
		long answeredFrom = ours.sentAt();
		while (true) {
			SessionLease lease = this.keeper.leaseOf(ours);
			if (lease == null || this.keeper.sessionId() != ours.sessionId()) {
				throw new NoNodeException(ours.path());
			}
			lease.confirmed(answeredFrom, System.nanoTime());
			CuratorLockHandle hold = this.contest.hold(ours, lease, this.contended);
			this.keeper.register(hold);
			if (this.keeper.sessionId() == ours.sessionId() && hold.isValid()) {
				return hold;
			}
			this.keeper.deregister(hold);
			this.keeper.awaitConnected();
			TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
			answeredFrom = System.nanoTime();
			client.transaction().forOperations(client.transactionOp().check().forPath(ours.path()));
		}
	}

	@Override
	public String fixForSorting(String name, String lockName) {
		return name;
	}

	@Nullable CuratorLockHandle granted() {
		return this.grant;
	}

	/**
	 * Leave nothing behind on the servers but the node of the grant. Curator does not
	 * know of a watch whose request was interrupted before its answer came.
	 */
	void removeWatches() {
		if (this.watches == null || this.watched == null) {
			return;
		}
		this.watches.removeWatchers();
		if (this.grant == null) {
			this.keeper.removeWatches(this.watched);
		}
	}

}

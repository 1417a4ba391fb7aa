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

	private static final long PAUSE_MILLIS = 100;

	private final Contest contest;

	private final LeaseKeeper keeper;

	private @Nullable WatcherRemoveCuratorFramework watches;

	private @Nullable LockNode node;

	private @Nullable LockNode untaken;

	private @Nullable CuratorLockHandle grant;

	private @Nullable String watched;

	private boolean contended;

	GuardedLockDriver(Contest contest, LeaseKeeper keeper) {
		this.contest = contest;
		this.keeper = keeper;
	}

	/**
	 * Enter the queue, and take the lock if it is free.
	 * @param client whom to ask
	 * @return whether it was free; if not, Curator goes on with the node that was made
	 * @throws HeldByOthersException if the attempt does not wait
	 * @throws Exception if the attempt cannot go on
	 */
	boolean enter(CuratorFramework client) throws Exception {
		this.contest.enter(Phase.CREATING);
		long sentAt = System.nanoTime();
		Entry entry = LockContainer.createIn(client, this.contest.lockPath(),
				() -> Entry.into(client, this.contest, this.keeper::isClosed));
		try {
			LockNode ours = noted(client, entry.path(), entry.stat(), sentAt);
			this.untaken = ours;
			String name = entry.path().substring(entry.path().lastIndexOf('/') + 1);
			return getsTheLock(client, entry.children(), name, 1).getsTheLock();
		}
		catch (NoNodeException ex) {
			// It was not seen, or is not ours any more: Curator looks again.
			return false;
		}
		catch (Exception ex) {
			this.untaken = null;
			this.contest.discard(entry.path());
			throw ex;
		}
	}

	@Override
	public String createsTheLock(CuratorFramework client, String path, byte @Nullable [] ignored) throws Exception {
		this.watches = (client instanceof WatcherRemoveCuratorFramework removable) ? removable : null;
		LockNode entered = this.untaken;
		if (entered != null) {
			this.untaken = null;
			return entered.path();
		}
		this.contest.enter(Phase.CREATING);
		long sentAt = System.nanoTime();
		Stat stat = new Stat();
		String created = LockContainer.createIn(client, this.contest.lockPath(),
				() -> client.create()
					.storingStatIn(stat)
					.withProtection()
					.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
					.forPath(this.contest.lockPath() + "/" + this.contest.nodePrefix(), this.contest.nodeData()));
		return noted(client, created, stat, sentAt).path();
	}

	private LockNode noted(CuratorFramework client, String created, @Nullable Stat answer, long sentAt)
			throws Exception {
		Stat stat = answer;
		if (stat == null || stat.getCzxid() == 0) {
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
		return ours;
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
	void leave() {
		if (this.untaken != null && this.grant == null) {
			this.contest.discard(this.untaken.path());
		}
		if (this.watches == null || this.watched == null) {
			return;
		}
		this.watches.removeWatchers();
		if (this.grant == null) {
			this.keeper.removeWatches(this.watched);
		}
	}

}

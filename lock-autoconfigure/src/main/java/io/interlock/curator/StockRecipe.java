package io.interlock.curator;

import java.util.concurrent.TimeUnit;

import io.interlock.LockAttempt.Phase;
import io.interlock.LockMode;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Curator's read/write lock as it ships. One more read tells the token, another one
 * whether the parent has to be made. Whether others held the lock is not known.
 */
final class StockRecipe implements LockRecipe {

	private final CuratorFramework client;

	private final LeaseKeeper keeper;

	private final HeldProbe probe;

	StockRecipe(CuratorFramework client, LeaseKeeper keeper) {
		this.client = client;
		this.keeper = keeper;
		this.probe = new HeldProbe(client, StockRecipe::isOfItsKind);
	}

	@Override
	public @Nullable CuratorLockHandle contend(Contest contest) throws Exception {
		if (this.probe.refuses(contest)) {
			return null;
		}
		if (this.client.checkExists().forPath(contest.lockPath()) == null) {
			// Curator's would have no mark.
			LockContainer.create(this.client, contest.lockPath());
		}
		InterProcessReadWriteLock locks = new InterProcessReadWriteLock(this.client, contest.lockPath(),
				contest.nodeData());
		boolean shared = contest.request().mode() == LockMode.SHARED;
		InterProcessMutex lock = shared ? locks.readLock() : locks.writeLock();
		// The recipe does not tell when its request was answered: only the lease does.
		contest.enter(Phase.QUEUED);
		long sentAt = System.nanoTime();
		if (contest.waits()) {
			lock.acquire();
		}
		else if (!lock.acquire(0, TimeUnit.MILLISECONDS)) {
			return null;
		}
		String path = shared ? locks.readLock().getLockPath() : locks.writeLock().getLockPath();
		try {
			return register(contest, path, sentAt);
		}
		catch (Exception ex) {
			abandon(lock, ex);
			throw ex;
		}
	}

	private static boolean isOfItsKind(String name) {
		return name.contains("__READ__") || name.contains("__WRIT__");
	}

	/**
	 * Give back what nobody will hold. If this thread was interrupted, Curator deletes
	 * the node in the background and says so by another exception.
	 */
	private static void abandon(InterProcessMutex lock, Exception reason) {
		try {
			lock.release();
		}
		catch (Exception ex) {
			reason.addSuppressed(ex);
		}
	}

	private CuratorLockHandle register(Contest contest, String path, long sentAt) throws Exception {
		Stat stat = this.client.checkExists().forPath(path);
		if (stat == null) {
			throw new NoNodeException(path);
		}
		LockNode node = new LockNode(path, stat.getCzxid(), stat.getEphemeralOwner(), sentAt);
		SessionLease lease = this.keeper.leaseOf(node);
		if (lease == null) {
			throw new NoNodeException(path);
		}
		lease.confirmed(sentAt, System.nanoTime());
		CuratorLockHandle hold = contest.hold(node, lease, false);
		this.keeper.register(hold);
		return hold;
	}

}

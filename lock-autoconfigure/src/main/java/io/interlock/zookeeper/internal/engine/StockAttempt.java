package io.interlock.zookeeper.internal.engine;

import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockMode;
import io.interlock.LockOwner;
import io.interlock.LockRequest;
import io.interlock.zookeeper.internal.node.Contender;
import io.interlock.zookeeper.internal.node.LockNode;
import io.interlock.zookeeper.internal.session.SessionLease;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * An attempt with Curator's read/write lock as it ships, on a thread of its own. It has
 * the limits of that recipe: it waits only for nodes of its own kind, it may be granted
 * the node of a session that has ended (CURATOR-604), and an attempt whose retries are
 * used up goes to the back of the queue. Another read tells the token, and another one
 * whether the parent has to be made. Whether others held the lock is not known.
 */
final class StockAttempt extends Attempt {

	private static final long PAUSE_MILLIS = 50;

	private final CuratorFramework client;

	private final ZooKeeperEngine engine;

	private final AtomicBoolean beganOrNeverWill = new AtomicBoolean();

	private final FutureTask<@Nullable Void> contender = new FutureTask<>(this::contend, null) {
		@Override
		protected void done() {
			StockAttempt.this.engine.remove(StockAttempt.this);
			if (StockAttempt.this.beganOrNeverWill.compareAndSet(false, true)) {
				StockAttempt.this.engine.endUse(lockPath());
			}
		}
	};

	StockAttempt(LockRequest request, LockOwner owner, ZooKeeperEngine engine) {
		super(request, owner, engine);
		this.engine = engine;
		this.client = engine.client();
	}

	@Override
	void start() {
		engine().add(this);
		this.engine.execute(this.contender);
	}

	@Override
	void stop() {
		this.contender.cancel(true);
	}

	private void contend() {
		if (!this.beganOrNeverWill.compareAndSet(false, true)) {
			return;
		}
		boolean granted = false;
		try {
			while (!granted && !isDecided()) {
				enter(Attempt.State.CONNECTING);
				this.engine.monitor().awaitConnected();
				if (engine().requests() == null) {
					TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
					continue;
				}
				granted = isGranted();
			}
		}
		catch (InterruptedException ex) {
			// The attempt is abandoned, so no caller waits for an answer.
		}
		catch (Throwable ex) {
			// Errors too: without an answer, a caller could wait for ever.
			failForGood(ex);
		}
		finally {
			if (!granted) {
				this.engine.endUse(lockPath());
			}
		}
	}

	private boolean isGranted() throws Exception {
		try {
			NodeGrant hold = acquire();
			engine().remove(this);
			if (hold != null) {
				grant(hold);
			}
			else {
				refuse();
			}
			return hold != null;
		}
		catch (KeeperException ex) {
			if (!ProviderFailures.isTransient(ex)) {
				throw ex;
			}
			TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
			return false;
		}
	}

	private @Nullable NodeGrant acquire() throws Exception {
		if (!waits() && isHeld()) {
			return null;
		}
		if (this.client.checkExists().forPath(lockPath()) == null) {
			// A parent that Curator makes has no mark.
			parent().create(this.client);
		}
		InterProcessReadWriteLock locks = new InterProcessReadWriteLock(this.client, lockPath(), nodeData());
		boolean shared = mode() == LockMode.SHARED;
		InterProcessMutex lock = shared ? locks.readLock() : locks.writeLock();
		// The recipe does not tell when its request was answered: only the lease does.
		enter(Attempt.State.QUEUED);
		long sentAt = System.nanoTime();
		if (waits()) {
			lock.acquire();
		}
		else if (!lock.acquire(0, TimeUnit.MILLISECONDS)) {
			return null;
		}
		String path = shared ? locks.readLock().getLockPath() : locks.writeLock().getLockPath();
		try {
			return registered(path, sentAt);
		}
		catch (Exception ex) {
			giveBack(lock, ex);
			throw ex;
		}
	}

	/**
	 * Look before a node is written, as {@link PipelinedAttempt} does.
	 */
	private boolean isHeld() throws Exception {
		try {
			List<String> names = this.client.getChildren().forPath(lockPath());
			return Contender.parseAll(names)
				.stream()
				.filter((other) -> other.name().contains("__READ__") || other.name().contains("__WRIT__"))
				.anyMatch((other) -> other.excludes(mode()));
		}
		catch (NoNodeException ex) {
			return false;
		}
	}

	/**
	 * Give back what no caller will hold. If this thread was interrupted, Curator deletes
	 * the node in the background and says so by another exception.
	 */
	private static void giveBack(InterProcessMutex lock, Exception reason) {
		try {
			lock.release();
		}
		catch (Exception ex) {
			reason.addSuppressed(ex);
		}
	}

	private NodeGrant registered(String path, long sentAt) throws Exception {
		Stat stat = this.client.checkExists().forPath(path);
		if (stat == null) {
			throw new NoNodeException(path);
		}
		LockNode node = new LockNode(path, stat.getCzxid(), stat.getCtime(), stat.getEphemeralOwner(), sentAt,
				System.nanoTime());
		this.engine.monitor().refresh();
		SessionLease lease = this.engine.status().leaseOf(node.sessionId());
		if (lease == null) {
			throw new NoNodeException(path);
		}
		lease.confirmed(sentAt, System.nanoTime());
		NodeGrant hold = hold(node, lease, false);
		this.engine.register(hold);
		return hold;
	}

}

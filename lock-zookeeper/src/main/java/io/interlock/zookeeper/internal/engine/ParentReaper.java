package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.zookeeper.internal.node.LockParent;
import io.interlock.zookeeper.internal.session.AnswerCode;
import io.interlock.zookeeper.internal.session.SessionMonitor;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Deletes the empty parents of locks that this instance has used and no client uses any
 * more. ZooKeeper does so too, but not more than 10,000 a minute
 * ({@code znode.container.maxPerMinute}), so that keys without end would fill it.
 * <p>
 * A parent is deleted when it was idle here for a while, so that a lock in use never
 * loses it, and earlier, the one that is idle for longest first, when there are many.
 * What others use is not empty and is left to them. What an outage, missing permissions
 * or the end of this process keep from being deleted is left to ZooKeeper: it is a
 * container. A parent that is not of our making stays.
 * <p>
 * Nothing here blocks. A few requests are under way at a time, and each answer sends the
 * next, so that locks never queue behind a heap of deletions.
 */
final class ParentReaper {

	private static final Log logger = LogFactory.getLog(ParentReaper.class);

	private static final Duration IDLE_TIME = Duration.ofSeconds(10);

	private static final int KEPT = 5_000;

	private static final int REMEMBERED = 10_000;

	private static final int UNDER_WAY = 64;

	private static final int LOOKS_PER_IDLE_TIME = 10;

	private final SessionMonitor monitor;

	private final IdleParents parents;

	private final Executor later;

	private final Semaphore free = new Semaphore(UNDER_WAY);

	private final AtomicBoolean scheduled = new AtomicBoolean();

	ParentReaper(SessionMonitor monitor, IdleParents parents) {
		this.monitor = monitor;
		this.parents = parents;
		this.later = CompletableFuture.delayedExecutor(Math.max(parents.idleNanos() / LOOKS_PER_IDLE_TIME, 1),
				TimeUnit.NANOSECONDS, Runnable::run);
	}

	static IdleParents idleParents() {
		return new IdleParents(IDLE_TIME, KEPT, REMEMBERED);
	}

	/** Note that a lock is held or waited for. */
	void use(String parent) {
		this.parents.use(parent);
	}

	/** Note that a hold or a wait is over, after its node was deleted. */
	void end(String parent) {
		if (this.parents.end(parent, this.parents.now())) {
			reap();
		}
		schedule();
	}

	private void schedule() {
		if (!this.scheduled.get() && !this.monitor.status().isClosed() && this.scheduled.compareAndSet(false, true)) {
			try {
				this.later.execute(this::look);
			}
			catch (Throwable ex) {
				this.scheduled.set(false);
				throw ex;
			}
		}
	}

	private void look() {
		this.scheduled.set(false);
		try {
			reap();
		}
		catch (Throwable ex) {
			logger.warn("Deleting idle parents failed; the next look follows", ex);
		}
		if (!this.parents.isEmpty()) {
			schedule();
		}
	}

	private void reap() {
		while (this.monitor.status().isConnected() && this.free.tryAcquire()) {
			boolean sent = false;
			try {
				String parent = this.parents.pollDue(this.parents.now());
				sent = parent != null && send(parent);
			}
			finally {
				if (!sent) {
					this.free.release();
				}
			}
			if (!sent) {
				return;
			}
		}
	}

	private boolean send(String parent) {
		ZooKeeper zooKeeper = this.monitor.status().zooKeeper();
		if (zooKeeper == null) {
			return false;
		}
		zooKeeper.exists(this.monitor.handle().absolute(parent), false,
				(code, path, context, stat) -> seen(zooKeeper, parent, code, stat), null);
		return true;
	}

	/**
	 * Read the mark where there may be one. A parent that never had a child has just been
	 * made by a client that is about to add one.
	 */
	private void seen(ZooKeeper zooKeeper, String parent, int code, @Nullable Stat stat) {
		if (stat == null || !LockParent.mayBeMarked(stat) || stat.getNumChildren() > 0 || stat.getCversion() == 0) {
			answered(parent, code);
			return;
		}
		zooKeeper.getData(this.monitor.handle().absolute(parent), false,
				(result, path, context, data, read) -> read(zooKeeper, parent, result, data, stat), null);
	}

	/** Delete it only as it was seen. */
	private void read(ZooKeeper zooKeeper, String parent, int code, byte @Nullable [] data, Stat stat) {
		if (!LockParent.isMarked(data) || this.parents.isUsed(parent)) {
			answered(parent, code);
			return;
		}
		zooKeeper.delete(this.monitor.handle().absolute(parent), stat.getVersion(),
				(result, path, context) -> answered(parent, result), null);
	}

	private void answered(String parent, int code) {
		Code answer = AnswerCode.of(code);
		if (answer != Code.NONODE && ProviderFailures.isTransient(answer)) {
			this.parents.putBack(parent, this.parents.now());
		}
		this.free.release();
		reap();
	}

}

package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.zookeeper.internal.node.LockParent;
import io.interlock.zookeeper.internal.node.NodeName;
import io.interlock.zookeeper.internal.session.ClientHandle;
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
 * A node that keeps a lock for its minimum time is deleted by its instance, or by the
 * next caller. Where neither comes, it is swept here some time after its end: every
 * instance looks through a part of the locks now and then.
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

	private static final Duration SWEEP_PERIOD = Duration.ofMinutes(5);

	/** A lock in an answer has its length and a name of up to 200 bytes. */
	private static final int LOCK_BYTES = 204;

	private static final int SWEPT = 500;

	/** Leaves the end to the instance that has kept the lock, and to callers. */
	private static final long SWEEP_MARGIN_MILLIS = TimeUnit.MINUTES.toMillis(1);

	private final SessionMonitor monitor;

	private final IdleParents parents;

	private final String root;

	private final Executor later;

	private final Semaphore free = new Semaphore(UNDER_WAY);

	private final AtomicBoolean scheduled = new AtomicBoolean();

	private long sweepAt;

	/** The last lock that a sweep has looked at; the first sweep begins anywhere. */
	private volatile @Nullable String sweptTo;

	ParentReaper(SessionMonitor monitor, IdleParents parents, String root) {
		this.monitor = monitor;
		this.parents = parents;
		this.root = root;
		this.sweepAt = nextSweep();
		this.later = CompletableFuture.delayedExecutor(Math.max(parents.idleNanos() / LOOKS_PER_IDLE_TIME, 1),
				TimeUnit.NANOSECONDS, Runnable::run);
	}

	static IdleParents idleParents() {
		return new IdleParents(IDLE_TIME, KEPT, REMEMBERED, System::nanoTime);
	}

	void use(String parent) {
		this.parents.use(parent);
	}

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
			logger.warn("Deleting idle parents failed; the next run tries again", ex);
		}
		if (!this.parents.isEmpty()) {
			schedule();
		}
	}

	private void reap() {
		boolean sent = true;
		while (sent && this.monitor.status().isConnected() && this.free.tryAcquire()) {
			sent = false;
			try {
				String parent = this.parents.pollDue(this.parents.now());
				sent = parent != null && send(parent);
			}
			finally {
				if (!sent) {
					this.free.release();
				}
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
		Code answer = ClientHandle.code(code);
		if (answer != Code.NONODE && ProviderFailures.isTransient(answer)) {
			this.parents.putBack(parent, this.parents.now());
		}
		this.free.release();
		reap();
	}

	/** Called now and then by one thread. */
	void sweepWhenDue() {
		ZooKeeper zooKeeper = this.monitor.status().zooKeeper();
		if (this.parents.now() - this.sweepAt >= 0 && zooKeeper != null && this.monitor.status().isConnected()
				&& this.monitor.handle().serverTimeReached(System.nanoTime()) > 0) {
			this.sweepAt = nextSweep();
			sweep(new HandleRequests(zooKeeper, this.monitor.handle()));
		}
	}

	/** Instances do not sweep at one instant. */
	private long nextSweep() {
		long period = SWEEP_PERIOD.toNanos();
		return this.parents.now() + period + ThreadLocalRandom.current().nextLong(period);
	}

	void sweep(Requests requests) {
		requests.stat(this.root, (code, stat) -> {
			if (canList(requests, this.root, stat, LOCK_BYTES)) {
				requests.list(this.root, (listed, names) -> sweepNext(requests, nextLocks(names).iterator()));
			}
		});
	}

	private boolean canList(Requests requests, String path, @Nullable Stat stat, int bytesOfName) {
		int children = (stat != null) ? stat.getNumChildren() : 0;
		if (children <= requests.maxChildren(bytesOfName)) {
			return children > 0;
		}
		if (this.monitor.handle().isNews(path)) {
			logger.warn(("There are %d nodes below %s: a list of them may be longer than this client takes, so nodes "
					+ "that kept a lock for its minimum hold time stay until that lock is requested. Raise "
					+ "jute.maxbuffer")
				.formatted(children, path));
		}
		return false;
	}

	private List<String> nextLocks(List<String> names) {
		List<String> all = names.stream().sorted().toList();
		String from = this.sweptTo;
		if (from == null && all.size() > SWEPT) {
			from = all.get(ThreadLocalRandom.current().nextInt(all.size()));
		}
		String last = (from != null) ? from : "";
		List<String> next = all.stream().filter((name) -> name.compareTo(last) > 0).limit(SWEPT).toList();
		this.sweptTo = (next.size() < SWEPT) ? "" : next.get(next.size() - 1);
		return next;
	}

	/** Look at one lock after the other; what a failure leaves comes at its next turn. */
	private void sweepNext(Requests requests, Iterator<String> locks) {
		if (!locks.hasNext()) {
			return;
		}
		String lock = this.root + "/" + locks.next();
		requests.stat(lock, (code, stat) -> {
			if (canList(requests, lock, stat, NodeName.NAME_BYTES)) {
				requests.list(lock, (listed, names) -> {
					sweep(requests, lock, names);
					sweepNext(requests, locks);
				});
			}
			else if (stat != null || code == Code.NONODE) {
				sweepNext(requests, locks);
			}
		});
	}

	private void sweep(Requests requests, String lock, List<String> names) {
		long time = this.monitor.handle().serverTimeReached(System.nanoTime());
		new Listing(names).keptBefore(time - SWEEP_MARGIN_MILLIS).forEach((name) -> {
			use(lock);
			requests.delete(lock + "/" + name, (code) -> end(lock));
		});
	}

}

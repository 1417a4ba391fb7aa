package io.interlock.curator;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LossActions;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * A hold: one node in first place. Invariant: {@code closed} and {@code lost} are set
 * once and never taken back, and the actions for a loss run once, whoever finds out
 * first.
 */
final class CuratorLockHandle implements LockHandle {

	private static final Log logger = LogFactory.getLog(CuratorLockHandle.class);

	private final LockId id;

	private final LockMode mode;

	private final boolean contended;

	private final LockNode node;

	private final SessionLease lease;

	private final HoldServices services;

	private final Instant acquiredAt = Instant.now();

	private final NodeWatch watch;

	private final AtomicBoolean closed = new AtomicBoolean();

	private final LossActions lossActions = new LossActions();

	CuratorLockHandle(LockId id, LockMode mode, boolean contended, LockNode node, SessionLease lease,
			HoldServices services) {
		this.id = id;
		this.mode = mode;
		this.contended = contended;
		this.node = node;
		this.lease = lease;
		this.services = services;
		this.watch = new NodeWatch(node, services.monitor(), this::lose);
	}

	SessionLease lease() {
		return this.lease;
	}

	LockNode node() {
		return this.node;
	}

	/**
	 * Return the path of the node as a client without a namespace needs it.
	 */
	String absolutePath() {
		return this.services.monitor().handle().absolute(this.node.path());
	}

	void watchWhenOld(long now) {
		this.watch.startWhenOld(now);
	}

	/**
	 * Give this hold up for good. Its actions run on a thread of their own.
	 */
	void lose() {
		if (!this.closed.get() && this.lossActions.lose()) {
			this.services.threads().execute(this.lossActions::run);
		}
	}

	@Override
	public LockId id() {
		return this.id;
	}

	@Override
	public LockMode mode() {
		return this.mode;
	}

	@Override
	public boolean contended() {
		return this.contended;
	}

	@Override
	public Instant acquiredAt() {
		return this.acquiredAt;
	}

	@Override
	public long fencingToken() {
		return this.node.czxid();
	}

	@Override
	public boolean isValid() {
		return !this.closed.get() && !this.lossActions.isLost() && this.services.monitor().isGood(this.lease);
	}

	@Override
	public void verify() {
		if (this.closed.get() && !isLost()) {
			throw new IllegalStateException("Lock %s was released already".formatted(this.id));
		}
		this.services.verification().verify(this);
	}

	@Override
	public boolean isLost() {
		return this.lossActions.isLost() || (!this.closed.get() && this.services.monitor().hasEnded(this.lease));
	}

	@Override
	public void onLoss(Runnable action) {
		this.lossActions.add(action);
	}

	@Override
	public void close() {
		CompletableFuture<Releases.Result> deletion = beginClose();
		if (!this.lossActions.isLost() && await(deletion) == Releases.Result.GONE_BEFORE && this.lossActions.lose()) {
			this.lossActions.run();
		}
		if (this.lossActions.isLost()) {
			// Who closes is about to ask whether the lock was lost: the actions know.
			this.lossActions.awaitRun(this.services.releaseTimeout().toNanos());
		}
	}

	@Override
	public void closeAsync() {
		beginClose().thenAccept((result) -> {
			if (result == Releases.Result.GONE_BEFORE && this.lossActions.lose()) {
				this.services.threads().execute(this.lossActions::run);
			}
		});
	}

	private CompletableFuture<Releases.Result> beginClose() {
		if (isLost()) {
			// The news is under way, and would come too late.
			lose();
		}
		if (!this.closed.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(Releases.Result.DELETED);
		}
		this.services.keeper().deregister(this);
		if (this.services.monitor().isGivenUp()) {
			// Whoever asks for the handle waits until Curator has closed the last one.
			this.services.threads().execute(this::delete);
			return CompletableFuture.completedFuture(Releases.Result.UNKNOWN);
		}
		return delete();
	}

	private CompletableFuture<Releases.Result> delete() {
		CompletableFuture<Releases.Result> deletion = this.services.releases().delete(this.node.path());
		deletion.whenComplete((result, failure) -> this.services.parents().end(this.node.lockPath()));
		return deletion;
	}

	/**
	 * Wait for the answer, at most for the release timeout, and keep the interrupt flag.
	 */
	private Releases.Result await(CompletableFuture<Releases.Result> deletion) {
		Duration timeout = this.services.releaseTimeout();
		long deadline = System.nanoTime() + timeout.toNanos();
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return deletion.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (TimeoutException ex) {
			logger.warn("Lock %s was not released within %s; the release goes on in the background".formatted(this.id,
					timeout));
			return Releases.Result.UNKNOWN;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("A release never fails", ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public String toString() {
		return this.mode + " " + this.id + " at " + this.node.path();
	}

}

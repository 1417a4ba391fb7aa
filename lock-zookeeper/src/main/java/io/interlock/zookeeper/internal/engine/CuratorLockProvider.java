package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockCapabilities;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.zookeeper.Peers;
import io.interlock.zookeeper.internal.node.NodeName;
import io.interlock.zookeeper.internal.node.LockNode;
import io.interlock.zookeeper.internal.session.SessionLease;
import io.interlock.zookeeper.internal.session.SessionStatus;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Locks with Curator's recipes as they ship, each attempt on a thread of its own: the
 * mutex or the read/write lock, as {@link Peers} says for the name. Only the grants are
 * those of the engine. It has the limits of these recipes: it waits only for nodes of its
 * own kind, it may be granted the node of a session that has ended (CURATOR-604), and an
 * attempt whose retries are used up goes to the back of the queue. Another read tells the
 * token, and another one whether the parent has to be made. Whether others held the lock
 * is not known. Safe for use by many threads.
 */
final class CuratorLockProvider implements LockProvider {

	/** Curator has no queue of permits that would keep the order of arrival. */
	private static final LockCapabilities CAPABILITIES = new LockCapabilities(true, false, true, true, false);

	private static final long PAUSE_MILLIS = 50;

	private final ZooKeeperEngine engine;

	private final Function<LockId, @Nullable LockServiceUnavailableException> refusal;

	CuratorLockProvider(ZooKeeperEngine engine, Function<LockId, @Nullable LockServiceUnavailableException> refusal) {
		this.engine = engine;
		this.refusal = refusal;
	}

	@Override
	public LockAttempt attempt(LockRequest request, LockCaller owner) {
		StockLock.check(request, peers(request));
		CuratorAttempt attempt = new CuratorAttempt(request, owner, peers(request), this.engine);
		// A reason that comes later finds the attempt among the others.
		this.engine.add(attempt, attempt.lockPath);
		attempt.start(this.refusal.apply(request.id()));
		return attempt;
	}

	@Override
	public LockCapabilities capabilities() {
		return CAPABILITIES;
	}

	@Override
	public LockCapabilities capabilities(LockRequest request) {
		StockLock.check(request, peers(request));
		return CAPABILITIES;
	}

	private Peers peers(LockRequest request) {
		return this.engine.settings().peers(request.id().name());
	}

	/**
	 * An attempt on a thread of its own. Invariant: the outcome is decided once, and a
	 * grant that comes after that is released by the attempt itself.
	 */
	private static final class CuratorAttempt implements Engine.Attempt {

		private final LockRequest request;

		private final LockCaller owner;

		private final Peers peers;

		private final ZooKeeperEngine engine;

		private final String lockPath;

		private final CompletableFuture<Optional<LockGrant>> outcome = new CompletableFuture<>();

		private final FutureTask<@Nullable Void> contender;

		private final AtomicBoolean beganOrNeverWill = new AtomicBoolean();

		private volatile boolean queued;

		CuratorAttempt(LockRequest request, LockCaller owner, Peers peers, ZooKeeperEngine engine) {
			this.request = request;
			this.owner = owner;
			this.peers = peers;
			this.engine = engine;
			this.lockPath = engine.paths().pathOf(request.id());
			this.contender = new FutureTask<>(this::contend, null) {
				@Override
				protected void done() {
					end();
				}
			};
		}

		void start(@Nullable Throwable refusal) {
			if (refusal != null) {
				fail(refusal);
				return;
			}
			try {
				this.engine.execute(this.contender);
			}
			catch (RuntimeException | Error ex) {
				this.contender.cancel(false);
				throw ex;
			}
		}

		private void end() {
			this.engine.remove(this);
			if (this.beganOrNeverWill.compareAndSet(false, true)) {
				this.engine.endUse(this.lockPath);
			}
		}

		@Override
		public LockRequest request() {
			return this.request;
		}

		@Override
		public void resume() {
			// Its thread waits for the connection.
		}

		@Override
		public void fail(Throwable failure) {
			if (this.outcome.completeExceptionally(failure)) {
				this.contender.cancel(true);
			}
		}

		@Override
		public CompletableFuture<Optional<LockGrant>> outcome() {
			return this.outcome;
		}

		@Override
		public void abandon() {
			if (this.outcome.cancel(false)) {
				this.contender.cancel(true);
			}
		}

		@Override
		public Phase phase() {
			SessionStatus status = this.engine.status();
			if (!status.isConnected() || !this.queued) {
				return Phase.CONNECTING;
			}
			return status.answersLately(this.engine.now()) ? Phase.QUEUED : Phase.CREATING;
		}

		private void contend() {
			if (!this.beganOrNeverWill.compareAndSet(false, true)) {
				return;
			}
			Optional<LockGrant> granted = Optional.empty();
			try {
				granted = acquireWhenConnected();
				if (!this.outcome.complete(granted)) {
					granted.ifPresent(LockGrant::release);
				}
			}
			catch (InterruptedException ex) {
				// The attempt is abandoned, so no caller waits for an answer.
			}
			catch (Throwable ex) {
				// Errors too: without an answer, a caller could wait for ever.
				this.outcome.completeExceptionally(ProviderFailures.permanent(this.request.id(), this.engine, ex));
			}
			finally {
				if (granted.isEmpty()) {
					this.engine.endUse(this.lockPath);
				}
			}
		}

		/** Contend again each time that the servers could not be reached. */
		private Optional<LockGrant> acquireWhenConnected() throws Exception {
			while (!this.outcome.isDone()) {
				this.queued = false;
				this.engine.monitor().awaitConnected(Long.MAX_VALUE);
				try {
					if (this.engine.requests() != null) {
						return acquire();
					}
				}
				catch (KeeperException ex) {
					if (!ProviderFailures.isTransient(ex)) {
						throw ex;
					}
				}
				TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
			}
			return Optional.empty();
		}

		private Optional<LockGrant> acquire() throws Exception {
			CuratorFramework client = this.engine.client();
			boolean waits = !Duration.ZERO.equals(this.request.waitTime());
			if (!waits && isHeld(client)) {
				return Optional.empty();
			}
			if (client.checkExists().forPath(this.lockPath) == null) {
				// A parent that Curator makes has no mark.
				this.engine.settings().parent(this.engine.paths(), this.request.id()).create(client);
			}
			StockLock lock = StockLock.of(this.peers, this.request.mode(), client, this.lockPath,
					this.engine.ownerRecords().write(this.request.id(), this.owner));
			// The recipe does not tell of answers to its requests: only the lease does.
			this.queued = true;
			long sentAt = this.engine.now();
			if (waits) {
				lock.mutex().acquire();
			}
			else if (!lock.mutex().acquire(0, TimeUnit.MILLISECONDS)) {
				return Optional.empty();
			}
			try {
				return Optional.of(granted(client, lock.path().get(), sentAt));
			}
			catch (Exception ex) {
				giveBack(lock.mutex(), ex);
				throw ex;
			}
		}

		/** Look before a node is written, as the engine does. */
		private boolean isHeld(CuratorFramework client) throws Exception {
			try {
				return NodeName.parseAll(client.getChildren().forPath(this.lockPath))
					.stream()
					.filter((other) -> StockLock.waitsFor(this.peers, other))
					.anyMatch((other) -> other.excludes(this.request.mode()));
			}
			catch (NoNodeException ex) {
				return false;
			}
		}

		/**
		 * Give back what no caller will hold. If this thread was interrupted, Curator
		 * deletes the node in the background and says so by another exception.
		 */
		private static void giveBack(InterProcessMutex lock, Exception reason) {
			try {
				lock.release();
			}
			catch (Exception ex) {
				reason.addSuppressed(ex);
			}
		}

		private NodeGrant granted(CuratorFramework client, String path, long sentAt) throws Exception {
			Stat stat = client.checkExists().forPath(path);
			LockNode node = LockNode.of(this.lockPath, path, stat, sentAt, this.engine.now());
			this.engine.monitor().refresh();
			SessionLease lease = (node != null) ? this.engine.status().leaseOf(node.sessionId()) : null;
			if (node == null || lease == null) {
				throw new NoNodeException(path);
			}
			lease.confirmed(sentAt, this.engine.now());
			NodeGrant grant = new NodeGrant(this.request, false, node, lease, this.engine, null);
			this.engine.register(grant);
			return grant;
		}

	}

}

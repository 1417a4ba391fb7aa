package io.interlock.curator;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockAttempt;
import io.interlock.LockHandle;
import io.interlock.LockMode;
import io.interlock.LockOwner;
import io.interlock.LockRequest;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

/**
 * One contender. Invariant: {@link #outcome} is completed once, and whoever completes it
 * decides: a grant that comes after that is closed by the contender itself.
 */
final class ContenderAttempt implements LockAttempt, Contest {

	private static final long PAUSE_MILLIS = 50;

	private final LockRequest request;

	private final LockOwner owner;

	private final CuratorLockSettings settings;

	private final String lockPath;

	private final HoldServices services;

	private final CompletableFuture<Optional<LockHandle>> outcome = new CompletableFuture<>();

	private volatile Phase phase = Phase.CONNECTING;

	private volatile @Nullable Future<?> contender;

	ContenderAttempt(LockRequest request, LockOwner owner, CuratorLockSettings settings, String lockPath,
			HoldServices services) {
		this.request = request;
		this.owner = owner;
		this.settings = settings;
		this.lockPath = lockPath;
		this.services = services;
	}

	/**
	 * Begin to contend.
	 * @param recipe how
	 * @param onEnd what to do when nothing is contended for any more, before anybody
	 * learns of a grant: who does may contend again at once
	 */
	void start(LockRecipe recipe, Runnable onEnd) {
		AtomicBoolean ended = new AtomicBoolean();
		Runnable onFirstEnd = () -> {
			if (ended.compareAndSet(false, true)) {
				onEnd.run();
			}
		};
		this.contender = this.services.threads().contend(() -> contend(recipe, onFirstEnd), onFirstEnd);
		if (this.outcome.isDone()) {
			stop();
		}
	}

	void fail(Throwable failure) {
		this.outcome.completeExceptionally(failure);
		stop();
	}

	private void stop() {
		Future<?> running = this.contender;
		if (running != null) {
			running.cancel(true);
		}
	}

	private void contend(LockRecipe recipe, Runnable onEnd) {
		boolean granted = false;
		this.services.parents().use(this.lockPath);
		try {
			while (!granted && !this.outcome.isDone()) {
				enter(Phase.CONNECTING);
				this.services.monitor().awaitConnected();
				granted = attempt(recipe, onEnd);
			}
		}
		catch (InterruptedException ex) {
			// Abandoned: nobody waits for an answer.
		}
		catch (Throwable ex) {
			// An Error too: somebody may wait for this outcome without a limit.
			Throwable cause = this.services.monitor().status().isClosed() ? new ClientClosedException() : ex;
			this.outcome.completeExceptionally(ProviderFailures.permanent(this.request.id(), this.settings, cause));
		}
		finally {
			if (!granted) {
				this.services.parents().end(this.lockPath);
			}
		}
	}

	/**
	 * Contend once.
	 * @return whether there is a hold, whose release ends the use of the lock
	 */
	private boolean attempt(LockRecipe recipe, Runnable onEnd) throws Exception {
		try {
			CuratorLockHandle hold = recipe.contend(this);
			onEnd.run();
			if (!this.outcome.complete(Optional.ofNullable(hold)) && hold != null) {
				hold.closeAsync();
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

	@Override
	public CompletableFuture<Optional<LockHandle>> outcome() {
		return this.outcome;
	}

	@Override
	public Phase phase() {
		if (!this.services.monitor().status().isConnected()) {
			return Phase.CONNECTING;
		}
		Phase now = this.phase;
		return (now == Phase.QUEUED && !this.services.monitor().status().answersLately()) ? Phase.CREATING : now;
	}

	@Override
	public void abandon() {
		if (this.outcome.cancel(false)) {
			stop();
		}
	}

	@Override
	public LockRequest request() {
		return this.request;
	}

	@Override
	public boolean waits() {
		return this.request.waitTime() == null || !this.request.waitTime().isZero();
	}

	@Override
	public String lockPath() {
		return this.lockPath;
	}

	@Override
	public String nodePrefix() {
		if (this.request.mode() == LockMode.SHARED) {
			return "__READ__";
		}
		return (this.settings.peers(this.request.id().name()) == Peers.READ_WRITE) ? "__WRIT__" : "lock-";
	}

	@Override
	public byte[] nodeData() {
		return LockNodeData.of(this.request.id(), this.owner, this.settings.instanceId(), this.settings.details());
	}

	@Override
	public void enter(Phase phase) {
		this.phase = phase;
	}

	@Override
	public void discard(String path) {
		this.services.releases().delete(path);
	}

	@Override
	public CuratorLockHandle hold(LockNode node, SessionLease lease, boolean contended) {
		this.services.headroom().note(node.sequence(), System.nanoTime());
		return new CuratorLockHandle(this.request.id(), this.request.mode(), contended, node, lease, this.services);
	}

}

package io.interlock.curator;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

import io.interlock.LockAttempt;
import io.interlock.LockId;
import io.interlock.LockOwner;
import io.interlock.LockProvider;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import org.apache.curator.framework.CuratorFramework;

import org.springframework.util.Assert;

/**
 * Locks on ZooKeeper. Every attempt is a node of its own in the queue of its lock; the
 * first one holds it. Safe for use by many threads. The client stays the caller's: it is
 * neither started nor closed here.
 *
 * @since 0.1.0
 */
public final class CuratorLockProvider implements LockProvider, ZooKeeperSession, AutoCloseable {

	private final CuratorLockSettings settings;

	private final LockPaths paths;

	private final HoldServices services;

	private final LockRecipe recipe;

	private final Semaphore contenders;

	private final Set<ContenderAttempt> attempts = ConcurrentHashMap.newKeySet();

	private final List<Runnable> unavailableActions = new CopyOnWriteArrayList<>();

	private volatile boolean refusing;

	private volatile boolean closed;

	/**
	 * Create a provider.
	 * @param client a client that was started
	 * @param settings how to behave
	 */
	public CuratorLockProvider(CuratorFramework client, CuratorLockSettings settings) {
		this(client, settings, ParentReaper.idleParents());
	}

	CuratorLockProvider(CuratorFramework client, CuratorLockSettings settings, IdleParents idleParents) {
		Assert.notNull(client, "'client' must not be null");
		Assert.notNull(settings, "'settings' must not be null");
		this.settings = settings;
		this.paths = new LockPaths(settings.rootPath());
		this.services = HoldServices.create(client, settings, idleParents, this::suspended);
		this.recipe = switch (settings.recipe()) {
			case GUARDED -> new GuardedRecipe(client, this.services.keeper());
			case STOCK -> new StockRecipe(client, this.services.keeper());
		};
		this.contenders = new Semaphore(settings.maxContenders());
	}

	@Override
	public LockAttempt attempt(LockRequest request, LockOwner owner) {
		ContenderAttempt attempt = new ContenderAttempt(request, owner, this.settings, this.paths.pathOf(request.id()),
				this.services);
		if (this.refusing) {
			attempt.fail(ProviderFailures.closed(request.id()));
		}
		else if (this.settings.whenUnavailable() == WhenUnavailable.FAIL_FAST && !isConnected()) {
			attempt.fail(ProviderFailures.notConnected(request.id()));
		}
		else if (!this.contenders.tryAcquire()) {
			attempt.fail(ProviderFailures.tooManyContenders(request.id(), this.settings.maxContenders()));
		}
		else {
			this.attempts.add(attempt);
			attempt.start(this.recipe, () -> {
				this.contenders.release();
				this.attempts.remove(attempt);
			});
			if (this.refusing) {
				attempt.fail(ProviderFailures.closed(request.id()));
			}
		}
		return attempt;
	}

	private boolean isConnected() {
		return this.services.monitor().status().isConnected() || this.services.monitor().refresh();
	}

	@Override
	public SessionSnapshot session() {
		return this.services.monitor().status().snapshot();
	}

	/**
	 * Return how many releases the servers have not answered yet.
	 * @return releases that go on in the background
	 */
	public int pendingReleases() {
		return this.services.releases().pending();
	}

	/**
	 * Return how many sequence numbers are left to the lock that has used up most, among
	 * those that this instance was granted in the last ten minutes.
	 * @return the number; 2,147,483,647 if no lock was granted
	 */
	public int sequenceHeadroom() {
		return this.services.headroom().left(System.nanoTime());
	}

	private void suspended() {
		if (this.settings.whenUnavailable() == WhenUnavailable.FAIL_FAST) {
			failAttempts(ProviderFailures::notConnected);
			this.unavailableActions.forEach(Runnable::run);
		}
	}

	@Override
	public void onUnavailable(Runnable action) {
		this.unavailableActions.add(action);
	}

	private void failAttempts(Function<LockId, LockServiceUnavailableException> failure) {
		this.attempts.forEach((attempt) -> attempt.fail(failure.apply(attempt.request().id())));
	}

	@Override
	public void refuse() {
		this.refusing = true;
		failAttempts(ProviderFailures::closed);
	}

	@Override
	public void accept() {
		this.refusing = this.closed;
	}

	/**
	 * Refuse attempts, end the holds that are left, and wait for the servers to confirm
	 * it, at most for the release timeout. A hold that is ended here is lost to whoever
	 * still works under it.
	 */
	@Override
	public void close() {
		this.closed = true;
		refuse();
		this.services.close();
	}

}

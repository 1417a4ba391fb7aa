package io.interlock.curator;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

import io.interlock.LockAttempt;
import io.interlock.LockOwner;
import io.interlock.LockProvider;
import io.interlock.LockRequest;
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

	private volatile boolean closed;

	/**
	 * Create a provider.
	 * @param client a client that was started
	 * @param settings how to behave
	 */
	public CuratorLockProvider(CuratorFramework client, CuratorLockSettings settings) {
		Assert.notNull(client, "'client' must not be null");
		Assert.notNull(settings, "'settings' must not be null");
		this.settings = settings;
		this.paths = new LockPaths(settings.rootPath());
		this.services = HoldServices.create(client, settings);
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
		if (this.closed) {
			attempt.fail(ProviderFailures.closed(request.id()));
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
		}
		return attempt;
	}

	@Override
	public SessionSnapshot session() {
		return this.services.monitor().snapshot();
	}

	/**
	 * Return how many releases the servers have not answered yet.
	 * @return releases that go on in the background
	 */
	public int pendingReleases() {
		return this.services.releases().pending();
	}

	/**
	 * Refuse new attempts, fail those under way, and wait for releases in the background,
	 * at most for the release timeout. Holds stay: they end with their handles or with
	 * the client.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.attempts.forEach((attempt) -> attempt.fail(ProviderFailures.closed(attempt.request().id())));
		this.services.close();
	}

}

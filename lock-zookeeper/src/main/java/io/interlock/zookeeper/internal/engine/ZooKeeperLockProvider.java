package io.interlock.zookeeper.internal.engine;

import java.time.Duration;

import io.interlock.LockAttempt;
import io.interlock.LockMode;
import io.interlock.LockOwner;
import io.interlock.LockProvider;
import io.interlock.LockRequest;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.SessionSnapshot;
import io.interlock.zookeeper.ZooKeeperSession;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Locks on ZooKeeper. Every attempt is a node of its own in the queue of its lock; the
 * first one holds it. Safe for use by many threads. The client stays the caller's: it is
 * neither started nor closed here.
 *
 * @since 0.1.0
 */
public final class ZooKeeperLockProvider implements LockProvider, ZooKeeperSession, AutoCloseable {

	private final ZooKeeperLockSettings settings;

	private final ZooKeeperEngine engine;

	private volatile boolean closed;

	/**
	 * Create a provider for a client of which nothing else is known, as of that of an
	 * application.
	 * @param client a client that was started
	 * @param settings how to behave
	 */
	public ZooKeeperLockProvider(CuratorFramework client, ZooKeeperLockSettings settings) {
		this(client, settings, null, null);
	}

	/**
	 * Create a provider.
	 * @param client a client that was started
	 * @param settings how to behave
	 * @param acl the ACL provider of that client, so that nodes are created past Curator,
	 * or {@code null} if it is not known
	 * @param clientStartedAt a time before the client was started, as
	 * {@link System#nanoTime()} tells it, so that its session is trusted from the
	 * beginning, or {@code null} if it is not known
	 */
	public ZooKeeperLockProvider(CuratorFramework client, ZooKeeperLockSettings settings, @Nullable ACLProvider acl,
			@Nullable Long clientStartedAt) {
		this(client, settings, acl, clientStartedAt, ParentReaper.idleParents());
	}

	ZooKeeperLockProvider(CuratorFramework client, ZooKeeperLockSettings settings, @Nullable ACLProvider acl,
			@Nullable Long clientStartedAt, IdleParents idleParents) {
		Assert.notNull(client, "'client' must not be null");
		Assert.notNull(settings, "'settings' must not be null");
		this.settings = settings;
		this.engine = new ZooKeeperEngine(client, settings, acl, clientStartedAt, idleParents, this::suspended);
		this.engine.start();
	}

	@Override
	public LockAttempt attempt(LockRequest request, LockOwner owner) {
		return begin(request, owner, !Duration.ZERO.equals(request.waitTime()));
	}

	@Override
	public LockAttempt attemptAtOnce(LockRequest request, LockOwner owner) {
		return begin(request.withWaitTime(Duration.ZERO), owner, true);
	}

	private LockAttempt begin(LockRequest request, LockOwner owner, boolean writesFirst) {
		// Curator has no queue of permits that would keep the order of arrival.
		boolean stock = this.settings.recipe() == Recipe.CURATOR && request.mode() != LockMode.PERMIT;
		Attempt attempt = stock ? new StockAttempt(request, owner, this.engine)
				: new PipelinedAttempt(request, owner, this.engine, writesFirst);
		if (this.closed) {
			attempt.fail(ProviderFailures.closed(request.id()));
		}
		else if (this.settings.failFast() && !isConnected()) {
			attempt.fail(ProviderFailures.notConnected(request.id()));
		}
		else {
			attempt.start();
			if (this.closed) {
				attempt.fail(ProviderFailures.closed(request.id()));
			}
		}
		return attempt;
	}

	private boolean isConnected() {
		return this.engine.monitor().status().isConnected() || this.engine.monitor().refresh();
	}

	@Override
	public SessionSnapshot session() {
		return this.engine.monitor().status().snapshot();
	}

	@Override
	public int pendingReleases() {
		return this.engine.deletions().pending();
	}

	private void suspended() {
		if (this.settings.failFast()) {
			this.engine.failAttempts(ProviderFailures::notConnected);
		}
	}

	/**
	 * Refuse attempts, end the holds that are left, and wait for the servers to confirm
	 * it, at most for the release timeout. A holder whose hold is ended here is told of a
	 * loss.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.engine.failAttempts(ProviderFailures::closed);
		this.engine.close();
	}

}

package io.interlock.zookeeper.internal.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockCapabilities;
import io.interlock.provider.LockProvider;
import io.interlock.provider.RunRecords;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.SessionSnapshot;
import io.interlock.zookeeper.ZooKeeperSession;
import io.interlock.zookeeper.internal.node.LockPaths;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Locks on ZooKeeper. Every attempt is a node of its own in the queue of its lock; the
 * first one holds it. With {@link Recipe#CURATOR} the locks that Curator has are those of
 * a provider beside the engine. Safe for use by many threads. The client stays the
 * caller's: it is neither started nor closed here.
 * <p>
 * The last run of a job is a persistent node beside the locks. The parent of its lock
 * would not keep it: that is a container, which goes when it is idle, and its data is the
 * mark that says so. It has a key and an instance, so it is written with full data only.
 *
 * @since 0.1.0
 */
public final class ZooKeeperLockProvider implements LockProvider, RunRecords, ZooKeeperSession, AutoCloseable {

	/** No lock has such a name: see {@link LockPaths#nodeOf}. */
	private static final String RUNS = "/.runs/";

	private final ZooKeeperLockSettings settings;

	private final ZooKeeperEngine engine;

	private final TakenLocks taken = new TakenLocks();

	private final @Nullable CuratorLockProvider curator;

	private volatile boolean closed;

	/**
	 * @param acl the ACL provider of the client, if it is known
	 * @param clientStartedAt a {@link System#nanoTime()} from before the client was
	 * started, if it is known, so that its session is trusted from the beginning
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
		this.curator = (settings.recipe() == Recipe.CURATOR) ? new CuratorLockProvider(this.engine, this::refusal)
				: null;
		this.engine.start();
	}

	/**
	 * {@inheritDoc}
	 * @throws UnsupportedOperationException if the request is shared, and the recipe of
	 * Curator takes its lock by a mutex
	 */
	@Override
	public LockCapabilities capabilities(LockRequest request) {
		return (this.curator != null && this.curator.capabilities().supports(request.mode()))
				? this.curator.capabilities(request) : capabilities();
	}

	@Override
	public LockAttempt attempt(LockRequest request, LockCaller owner) {
		if (this.curator != null && this.curator.capabilities().supports(request.mode())) {
			return this.curator.attempt(request, owner);
		}
		NodeAttempt attempt = new NodeAttempt(request, owner, this.engine, this.taken,
				owner.expectsFree() || !Duration.ZERO.equals(request.waitTime()));
		LockServiceUnavailableException refusal = refusal(request.id());
		if (refusal != null) {
			attempt.outcome().completeExceptionally(refusal);
			return attempt;
		}
		attempt.start();
		if (this.closed) {
			attempt.fail(ProviderFailures.closed(request.id()));
		}
		return attempt;
	}

	private @Nullable LockServiceUnavailableException refusal(LockId id) {
		if (this.closed) {
			return ProviderFailures.closed(id);
		}
		return (this.settings.failFast() && !isConnected()) ? ProviderFailures.notConnected(id) : null;
	}

	private boolean isConnected() {
		return this.engine.monitor().status().isConnected() || this.engine.monitor().refresh();
	}

	/** Return the client of the locks, for what operators ask. */
	public CuratorFramework client() {
		return this.engine.client();
	}

	/** Return the path below which the locks are. */
	public String rootPath() {
		return this.settings.rootPath();
	}

	@Override
	public SessionSnapshot session() {
		return this.engine.monitor().status().snapshot();
	}

	@Override
	public int pendingReleases() {
		return this.engine.deletions().pending();
	}

	@Override
	public String address() {
		return this.engine.client().getZookeeperClient().getCurrentConnectionString();
	}

	@Override
	public void record(Run run) {
		if (this.settings.lockData() != OwnerRecord.LockData.FULL) {
			return;
		}
		String path = pathOfRun(run.name());
		byte[] data = run.toText().getBytes(StandardCharsets.UTF_8);
		try {
			this.engine.client().create().orSetData().creatingParentsIfNeeded().forPath(path, data);
		}
		catch (Exception ex) {
			throw new IllegalStateException("The run is not written to " + path, ex);
		}
	}

	@Override
	public List<Run> runs(Collection<String> names) {
		return names.stream().flatMap((name) -> Stream.ofNullable(read(name))).toList();
	}

	private @Nullable Run read(String name) {
		String path = pathOfRun(name);
		try {
			return Run.parse(name, new String(this.engine.client().getData().forPath(path), StandardCharsets.UTF_8));
		}
		catch (NoNodeException ex) {
			return null;
		}
		catch (Exception ex) {
			throw new IllegalStateException("The run cannot be read from " + path, ex);
		}
	}

	private String pathOfRun(String name) {
		Assert.state(!this.closed && isConnected(), "There is no connection to ZooKeeper");
		return this.settings.rootPath() + RUNS + LockPaths.nodeOf(new LockId(name, null));
	}

	private void suspended() {
		if (this.settings.failFast()) {
			this.engine.failAttempts(ProviderFailures::notConnected);
		}
	}

	/**
	 * Refuse attempts, end the holds that are left, and wait for the servers to confirm
	 * it, at most for a second. What they have not confirmed goes on in the background,
	 * as long as the client lives. A holder whose hold is ended here is told of a loss.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.engine.failAttempts(ProviderFailures::closed);
		this.engine.close();
	}

}

package io.interlock.faults.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockAttempt;
import io.interlock.LockAttempt.Phase;
import io.interlock.LockHandle;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockProvider;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.faults.check.Outcome;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import io.interlock.zookeeper.Peers;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockProvider;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockSettings;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.jspecify.annotations.Nullable;

/**
 * Interlock as an application has it: a client, a provider and a template.
 */
public final class InterlockLocks implements Locks {

	static final String ROOT = "/interlock";

	private final CuratorFramework client;

	private final ZooKeeperLockProvider provider;

	private final QueueingLockProvider queue;

	private final LockTemplate template;

	private final HeldLocks heldLocks = new HeldLocks();

	private final Set<LockAttempt> attempts = ConcurrentHashMap.newKeySet();

	/**
	 * Start a client.
	 * @param connectString where to connect
	 * @param sessionTimeout session timeout to ask for
	 * @param queue how its threads queue among themselves
	 */
	public InterlockLocks(String connectString, Duration sessionTimeout, QueueSettings queue) {
		this(System.nanoTime(), connect(connectString, sessionTimeout), new DefaultACLProvider(), queue);
	}

	/**
	 * Use a client of somebody else.
	 * @param client a client that was started; it is closed together with this
	 * @param queue how its threads queue among themselves
	 */
	public InterlockLocks(CuratorFramework client, QueueSettings queue) {
		this(null, client, null, queue);
	}

	private InterlockLocks(@Nullable Long startedAt, CuratorFramework client, @Nullable ACLProvider acl,
			QueueSettings queue) {
		this.client = client;
		this.provider = new ZooKeeperLockProvider(this.client,
				new ZooKeeperLockSettings(ROOT, "worker", Duration.ofSeconds(5), Recipe.PIPELINED,
						Map.of(Workload.READ_WRITE_PEERS_KEY, Peers.READ_WRITE), false),
				acl, startedAt);
		this.queue = new QueueingLockProvider(noting(this.provider), queue);
		this.template = new LockTemplate(this.queue,
				new LockSettings(Duration.ofSeconds(10), Map.of(), Duration.ofSeconds(1), Duration.ofSeconds(1)),
				this.heldLocks, List.of());
	}

	private static CuratorFramework connect(String connectString, Duration sessionTimeout) {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs((int) sessionTimeout.toMillis())
			.connectionTimeoutMs(2000)
			.retryPolicy(new ExponentialBackoffRetry(100, 3))
			.ensembleTracker(false)
			.build();
		client.start();
		return client;
	}

	/**
	 * Note the attempts, so that it can be told what a fault came across.
	 */
	private LockProvider noting(LockProvider provider) {
		return (request, owner) -> {
			LockAttempt attempt = provider.attempt(request, owner);
			this.attempts.add(attempt);
			attempt.outcome().whenComplete((handle, failure) -> this.attempts.remove(attempt));
			return attempt;
		};
	}

	@Override
	public Answer acquire(String key, boolean shared, Duration wait) {
		LockRequest request = shared ? LockRequest.shared(key) : LockRequest.exclusive(key);
		try {
			return Answer.acquired(new Hold(this.template.acquire(request.withWaitTime(wait))));
		}
		catch (LockNotAcquiredException ex) {
			return Answer.without(Outcome.CONTENDED);
		}
		catch (LockServiceUnavailableException ex) {
			return Answer.without(Outcome.UNAVAILABLE);
		}
		catch (LockLostException ex) {
			// Lost before it could be handed out.
			return Answer.without(Outcome.UNAVAILABLE);
		}
		catch (LockInterruptedException ex) {
			return Answer.without(Outcome.INTERRUPTED);
		}
	}

	LockTemplate template() {
		return this.template;
	}

	LockProvider provider() {
		return this.queue;
	}

	/**
	 * Acquire a lock and release it at once.
	 * @return how the attempt ended, and how many nanoseconds that took
	 */
	String acquireAndRelease(String key, Duration wait) {
		long before = System.nanoTime();
		Answer answer = acquire(key, false, wait);
		long after = System.nanoTime();
		Held acquired = answer.held();
		if (acquired != null) {
			acquired.close();
		}
		return answer.outcome() + " " + (after - before);
	}

	@Override
	public CuratorFramework client() {
		return this.client;
	}

	@Override
	public int creating() {
		return (int) this.attempts.stream().filter((attempt) -> attempt.phase() == Phase.CREATING).count();
	}

	@Override
	public int deleting() {
		return this.provider.pendingReleases();
	}

	@Override
	public void close() {
		this.heldLocks.stop();
		this.provider.close();
		this.client.close();
	}

	/**
	 * A handle, and whether a loss was told.
	 */
	private static final class Hold implements Held {

		private final LockHandle handle;

		private final AtomicBoolean lost = new AtomicBoolean();

		Hold(LockHandle handle) {
			this.handle = handle;
			handle.onLoss(() -> this.lost.set(true));
		}

		@Override
		public long token() {
			return this.handle.fencingToken();
		}

		@Override
		public boolean isValid() {
			return this.handle.isValid();
		}

		@Override
		public boolean isLost() {
			return this.lost.get();
		}

		@Override
		public void close() {
			this.handle.close();
		}

	}

}

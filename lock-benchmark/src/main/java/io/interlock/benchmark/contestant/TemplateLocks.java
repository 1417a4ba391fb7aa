package io.interlock.benchmark.contestant;

import java.time.Duration;
import java.util.Map;

import io.interlock.LockRequest;
import io.interlock.curator.ContenderRetryPolicy;
import io.interlock.curator.CuratorLockProvider;
import io.interlock.curator.CuratorLockSettings;
import io.interlock.curator.Recipe;
import io.interlock.curator.WhenUnavailable;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.LockTemplate;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.jspecify.annotations.Nullable;

/**
 * Interlock through its template, wired without a context.
 */
final class TemplateLocks implements Locks {

	private final CuratorFramework client;

	private final CuratorLockProvider provider;

	private final @Nullable QueueingLockProvider queue;

	private final LockTemplate template;

	private TemplateLocks(String connectString, boolean queued) {
		this.client = Clients.connect(connectString, new ContenderRetryPolicy(new ExponentialBackoffRetry(100, 3)));
		this.provider = new CuratorLockProvider(this.client, new CuratorLockSettings("/interlock", "benchmark", 1024,
				Duration.ofSeconds(1), Duration.ofSeconds(5), Recipe.GUARDED, Map.of(), WhenUnavailable.WAIT));
		this.queue = queued ? LocalQueue.before(this.provider) : null;
		this.template = new LockTemplate((this.queue != null) ? this.queue : this.provider);
	}

	static TemplateLocks queued(String connectString) {
		return new TemplateLocks(connectString, true);
	}

	static TemplateLocks unqueued(String connectString) {
		return new TemplateLocks(connectString, false);
	}

	@Override
	public void exclusively(String key, Runnable body) {
		LockRequest request = LockRequest.exclusive("benchmark").withKey(key).withWaitTime(LockRequest.FOREVER);
		this.template.executeWithoutResult(request, (lock) -> body.run());
	}

	@Override
	public void shared(String key, Runnable body) {
		LockRequest request = LockRequest.shared("benchmark").withKey(key).withWaitTime(LockRequest.FOREVER);
		this.template.executeWithoutResult(request, (lock) -> body.run());
	}

	@Override
	public boolean tryExclusively(String key, Runnable body) {
		LockRequest request = LockRequest.exclusive("benchmark").withKey(key).withWaitTime(Duration.ZERO);
		return this.template.tryExecute(request, (lock) -> {
			body.run();
			return true;
		}).acquired();
	}

	@Override
	public int entries() {
		return (this.queue != null) ? this.queue.queues().size() : 0;
	}

	@Override
	public void close() {
		this.provider.close();
		this.client.close();
	}

}

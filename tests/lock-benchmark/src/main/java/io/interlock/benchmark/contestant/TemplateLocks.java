package io.interlock.benchmark.contestant;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockRequest;
import io.interlock.provider.LockProvider;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.LockTemplate;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Interlock through its template, without metrics.
 */
final class TemplateLocks implements Locks {

	private final LockProvider provider;

	private final Runnable disconnect;

	private final LockTemplate template;

	private TemplateLocks(LockProvider provider, Runnable disconnect) {
		this.provider = provider;
		this.disconnect = disconnect;
		this.template = new LockTemplate(provider);
	}

	static TemplateLocks queued(String connectString) {
		InterlockClient client = new InterlockClient(connectString);
		return new TemplateLocks(LocalQueue.before(client.provider()), client::close);
	}

	static TemplateLocks unqueued(String connectString) {
		InterlockClient client = new InterlockClient(connectString);
		return new TemplateLocks(client.provider(), client::close);
	}

	/**
	 * Take the queue of an application.
	 * @param application the application, which is ended with the locks
	 * @return the locks
	 */
	static TemplateLocks of(ConfigurableApplicationContext application) {
		return new TemplateLocks(application.getBean(QueueingLockProvider.class), application::close);
	}

	@Override
	public void exclusively(String key, Runnable body) {
		this.template.executeWithoutResult(request(key), (lock) -> body.run());
	}

	private static LockRequest request(String key) {
		return LockRequest.exclusive("benchmark").withKey(key).withWaitTime(LockRequest.FOREVER);
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
	public AutoCloseable hold(String key) {
		return this.template.acquire(request(key));
	}

	@Override
	public CompletableFuture<?> whenFree(String key, Runnable body) {
		return this.template.executeAsync(request(key), (lock) -> {
			body.run();
			return CompletableFuture.completedFuture(true);
		});
	}

	@Override
	public int entries() {
		return (this.provider instanceof QueueingLockProvider queue) ? queue.queues().size() : 0;
	}

	@Override
	public void close() {
		this.disconnect.run();
	}

}

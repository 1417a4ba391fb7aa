package io.interlock.benchmark.jmh;

import io.interlock.LockRequest;
import io.interlock.benchmark.contestant.LocalQueue;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.LockOperations;
import io.interlock.template.LockTemplate;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * A template before a provider without a server, with the local queue between them or
 * without it.
 *
 * @since 0.1.0
 */
@State(Scope.Benchmark)
public class LocalLocks {

	private static final LockRequest HOT = LockRequest.exclusive("benchmark")
		.withKey("hot")
		.withWaitTime(LockRequest.FOREVER);

	/**
	 * Whether the local queue is there.
	 */
	@Param({ "true", "false" })
	public boolean queue;

	private LockOperations operations = new LockTemplate(new InMemoryLockProvider());

	/**
	 * Make the template.
	 */
	@Setup
	public void start() {
		InMemoryLockProvider provider = new InMemoryLockProvider();
		this.operations = new LockTemplate(this.queue ? LocalQueue.before(provider) : provider);
	}

	/**
	 * Lock and unlock the key that all threads want.
	 * @return something that depends on the lock
	 */
	public long lockHotKey() {
		return this.operations.execute(HOT, (lock) -> lock.fencingToken());
	}

	/**
	 * Lock and unlock something.
	 * @param request what to lock
	 * @return something that depends on the lock
	 */
	public long lock(LockRequest request) {
		return this.operations.execute(request, (lock) -> lock.fencingToken());
	}

}

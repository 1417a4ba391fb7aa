package io.interlock.benchmark.contestant;

import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;

/**
 * Curator's read/write lock.
 */
abstract class ReadWriteLocks extends MutexLocks {

	ReadWriteLocks(String connectString) {
		super(connectString);
	}

	abstract InterProcessReadWriteLock locks(String key);

	@Override
	final InterProcessMutex exclusive(String key) {
		return locks(key).writeLock();
	}

	@Override
	public final void shared(String key, Runnable body) throws Exception {
		run(locks(key).readLock(), body);
	}

}

package io.interlock.benchmark.contestant;

import java.util.concurrent.locks.Lock;

/**
 * Locks that are used like those of the JDK.
 */
abstract class JavaLocks implements Locks {

	abstract Lock lock(String key);

	@Override
	public final void exclusively(String key, Runnable body) {
		Lock lock = lock(key);
		lock.lock();
		runAndUnlock(lock, body);
	}

	@Override
	public final boolean tryExclusively(String key, Runnable body) {
		Lock lock = lock(key);
		if (!lock.tryLock()) {
			return false;
		}
		runAndUnlock(lock, body);
		return true;
	}

	private static void runAndUnlock(Lock lock, Runnable body) {
		try {
			body.run();
		}
		finally {
			lock.unlock();
		}
	}

}

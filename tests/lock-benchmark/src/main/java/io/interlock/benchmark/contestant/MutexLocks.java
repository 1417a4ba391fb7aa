package io.interlock.benchmark.contestant;

import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/**
 * Plain Curator, on the retry policy of its documentation.
 */
abstract class MutexLocks implements Locks {

	private final CuratorFramework client;

	MutexLocks(String connectString) {
		this.client = Clients.connect(connectString);
	}

	final CuratorFramework client() {
		return this.client;
	}

	abstract InterProcessMutex exclusive(String key);

	@Override
	public final void exclusively(String key, Runnable body) throws Exception {
		run(exclusive(key), body);
	}

	@Override
	public final AutoCloseable hold(String key) throws Exception {
		InterProcessMutex mutex = exclusive(key);
		mutex.acquire();
		return mutex::release;
	}

	static void run(InterProcessMutex mutex, Runnable body) throws Exception {
		mutex.acquire();
		runAndRelease(mutex, body);
	}

	@Override
	public final boolean tryExclusively(String key, Runnable body) throws Exception {
		InterProcessMutex mutex = exclusive(key);
		if (!mutex.acquire(0, TimeUnit.SECONDS)) {
			return false;
		}
		runAndRelease(mutex, body);
		return true;
	}

	private static void runAndRelease(InterProcessMutex mutex, Runnable body) throws Exception {
		try {
			body.run();
		}
		finally {
			mutex.release();
		}
	}

	@Override
	public final void close() {
		this.client.close();
	}

}

package io.interlock.benchmark.contestant;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;

/**
 * One read/write lock for each key, kept and shared by the threads.
 */
final class SharedReadWriteLocks extends ReadWriteLocks {

	private final Map<String, InterProcessReadWriteLock> locks = new ConcurrentHashMap<>();

	SharedReadWriteLocks(String connectString) {
		super(connectString);
	}

	@Override
	InterProcessReadWriteLock locks(String key) {
		return this.locks.computeIfAbsent(key,
				(added) -> new InterProcessReadWriteLock(client(), "/read-write-shared/" + added));
	}

}

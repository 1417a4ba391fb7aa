package io.interlock.benchmark.contestant;

import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;

/**
 * A read/write lock of its own for each call.
 */
final class ReadWriteLockPerCall extends ReadWriteLocks {

	ReadWriteLockPerCall(String connectString) {
		super(connectString);
	}

	@Override
	InterProcessReadWriteLock locks(String key) {
		return new InterProcessReadWriteLock(client(), "/read-write-per-call/" + key);
	}

}

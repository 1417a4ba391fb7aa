package io.interlock.benchmark.contestant;

import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/**
 * A mutex of its own for each call.
 */
final class MutexPerCall extends MutexLocks {

	MutexPerCall(String connectString) {
		super(connectString);
	}

	@Override
	InterProcessMutex exclusive(String key) {
		return new InterProcessMutex(client(), "/mutex-per-call/" + key);
	}

}

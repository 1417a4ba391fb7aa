package io.interlock.benchmark.contestant;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/**
 * One mutex for each key, kept and shared by the threads: what is most often done.
 */
final class SharedMutexes extends MutexLocks {

	private final Map<String, InterProcessMutex> mutexes = new ConcurrentHashMap<>();

	SharedMutexes(String connectString) {
		super(connectString);
	}

	@Override
	InterProcessMutex exclusive(String key) {
		return this.mutexes.computeIfAbsent(key, (added) -> new InterProcessMutex(client(), "/mutex-shared/" + added));
	}

}

package io.interlock.benchmark.load;

import java.time.Duration;

/**
 * What threads do over and over: lock, do something, unlock.
 *
 * @param threads how many threads
 * @param hot whether all of them want the same key, and not each one of its own
 * @param readPercent how many of a hundred locks are shared ones
 * @param body how long the lock is held, parked
 * @since 0.1.0
 */
public record LoadPlan(int threads, boolean hot, int readPercent, Duration body) {

	/**
	 * Each thread locks a key of its own.
	 * @param threads how many threads
	 * @return the plan
	 */
	public static LoadPlan uncontended(int threads) {
		return new LoadPlan(threads, false, 0, Duration.ZERO);
	}

	/**
	 * All threads lock the same key.
	 * @param threads how many threads
	 * @param body how long it is held
	 * @return the plan
	 */
	public static LoadPlan hot(int threads, Duration body) {
		return new LoadPlan(threads, true, 0, body);
	}

	/**
	 * All threads lock the same key, and most of them share it.
	 * @param threads how many threads
	 * @param readPercent how many of a hundred locks are shared ones
	 * @return the plan
	 */
	public static LoadPlan readers(int threads, int readPercent) {
		return new LoadPlan(threads, true, readPercent, Duration.ZERO);
	}

	ExclusionCheck check() {
		return (this.readPercent > 0) ? new SharedExclusionCheck() : new PlainExclusionCheck();
	}

}

package io.interlock.curator;

/**
 * The threads on which the blocking recipe runs: one for each lock that this instance
 * waits for.
 */
final class ContenderThreads {

	private static final ThreadLocal<Boolean> CONTENDER = ThreadLocal.withInitial(() -> false);

	private ContenderThreads() {
	}

	static boolean isContender() {
		return CONTENDER.get();
	}

}

package io.interlock.interceptor;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.interlock.LockServiceUnavailableException;
import io.interlock.annotation.ContentionPolicy;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.scheduling.support.ScheduledMethodRunnable;

/**
 * Tells of scheduled runs that are skipped because the lock service does not answer: one
 * line when the first run of a lock is missed, and one when a run asks with success.
 * Thread-safe.
 */
final class MissedRuns {

	private static final Log logger = LogFactory.getLog(MissedRuns.class);

	/** How many runs were missed, by the names of their locks. */
	private final Map<String, AtomicLong> missed = new ConcurrentHashMap<>();

	/**
	 * Return whether an outage skips a call: one that a schedule makes, of a method that
	 * is skipped in contention too. Its exception has no caller to reach.
	 */
	static boolean skips(LockDefinition definition) {
		return definition.onContention() == ContentionPolicy.SKIP && definition.scheduled() && isFiring();
	}

	private static boolean isFiring() {
		return StackWalker.getInstance()
			.walk((frames) -> frames
				.anyMatch((frame) -> frame.getClassName().equals(ScheduledMethodRunnable.class.getName())));
	}

	void add(LockDefinition definition, LockServiceUnavailableException failure) {
		String method = LockDefinitionException.describe(definition.method());
		String name = definition.request().id().name();
		if (this.missed.computeIfAbsent(name, (lock) -> new AtomicLong()).getAndIncrement() == 0) {
			logger.warn("Skipped %s, because the lock service does not answer: %s. %s".formatted(method,
					failure.getMessage(), "Until it answers, further runs are skipped without a message"));
		}
		logger.debug("Skipped %s".formatted(method), failure);
	}

	/** Note that a call has had an answer of the lock service. */
	void answered(LockDefinition definition) {
		if (!this.missed.isEmpty()) {
			String name = definition.request().id().name();
			AtomicLong runs = this.missed.remove(name);
			if (runs != null) {
				logger.warn("The lock service answers again for lock '%s': %d scheduled runs were skipped meanwhile"
					.formatted(name, runs.get()));
			}
		}
	}

}

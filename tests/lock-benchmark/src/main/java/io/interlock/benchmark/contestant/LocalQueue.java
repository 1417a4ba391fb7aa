package io.interlock.benchmark.contestant;

import io.interlock.provider.LockProvider;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;

/**
 * Makes the local queue of Interlock, on its defaults.
 *
 * @since 0.1.0
 */
public final class LocalQueue {

	private LocalQueue() {
	}

	/**
	 * Put a queue before a provider.
	 * @param provider what the queue stands before
	 * @return the queue
	 */
	public static QueueingLockProvider before(LockProvider provider) {
		return new QueueingLockProvider(provider, QueueSettings.defaults());
	}

}

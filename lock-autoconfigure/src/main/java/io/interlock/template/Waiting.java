package io.interlock.template;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.interlock.LockRequest;

/**
 * A thread that waits for a lock. Compared by identity.
 */
final class Waiting {

	private final LockRequest request;

	private final Thread thread;

	private final Instant since;

	Waiting(LockRequest request, Thread thread, Instant since) {
		this.request = request;
		this.thread = thread;
		this.since = since;
	}

	LockRequest request() {
		return this.request;
	}

	Thread thread() {
		return this.thread;
	}

	/**
	 * Return whether the thread waits for other holders, which a single try does not.
	 * @return whether it may wait for long
	 */
	boolean isForOthers() {
		Duration waitTime = this.request.waitTime();
		return waitTime == null || !waitTime.isZero();
	}

	LockSnapshot snapshot() {
		return new LockSnapshot(this.request.id(), this.request.mode(), null, false, null, this.thread.getName(),
				this.since, List.of());
	}

}

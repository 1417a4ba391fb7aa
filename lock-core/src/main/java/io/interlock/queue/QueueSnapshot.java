package io.interlock.queue;

import java.time.Duration;

import io.interlock.LockId;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one lock in this JVM at one moment.
 *
 * @param id which lock
 * @param waiting how many threads wait
 * @param holders how many threads hold what was granted to this JVM
 * @param token fencing token of the grant, or {@code null} while there is none
 * @param handoffs how often the grant was handed over
 * @param tenure age of the grant; zero while there is none
 * @since 0.1.0
 */
public record QueueSnapshot(LockId id, int waiting, int holders, @Nullable Long token, int handoffs, Duration tenure) {

	/**
	 * Return whether this JVM keeps a grant that no thread holds, for the next one that
	 * asks.
	 * @return whether the grant is idle
	 */
	public boolean idle() {
		return this.token != null && this.holders == 0;
	}

}

package io.interlock.internal;

import java.util.concurrent.CompletionStage;

/**
 * A hold that has ended before its minimum time: what {@code LockHandle.unwrap} returns
 * for this type once the handle is closed.
 *
 * @since 0.1.0
 */
public interface KeptHold {

	/**
	 * {@return completed with whether the lock stays taken for its time even if this
	 * instance ends} Completed late or never while the servers do not answer.
	 */
	CompletionStage<Boolean> outlasts();

	/** Release the lock before its time is over, and tell the listeners. */
	void release();

}

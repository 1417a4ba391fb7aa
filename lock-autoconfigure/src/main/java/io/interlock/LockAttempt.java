package io.interlock;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An acquisition under way. The outcome is decided once, by whoever comes first: the
 * service with a grant or a refusal, or the caller with {@link #abandon()}.
 * Implementations are safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface LockAttempt {

	/**
	 * Return the outcome. It is the handle, or empty when somebody else holds the lock
	 * and the request does not wait; infrastructure failures complete it with a
	 * {@link LockException}. An abandoned attempt is cancelled, unless the grant came
	 * first.
	 * @return the outcome
	 */
	CompletableFuture<Optional<LockHandle>> outcome();

	/**
	 * Return what somebody who gives up now was waiting for.
	 * @return the phase
	 */
	Phase phase();

	/**
	 * Give up. When this returns, {@link #outcome()} is complete: cancelled or, if the
	 * grant came first, with a handle that the caller owns. Does not block; what is left
	 * on the servers is removed in the background, as soon as they can be reached.
	 */
	void abandon();

	/**
	 * What an attempt waits for.
	 */
	enum Phase {

		/**
		 * The service does not answer.
		 */
		CONNECTING,

		/**
		 * The request is on its way and was not answered yet.
		 */
		CREATING,

		/**
		 * The service has answered lately, and others are before us.
		 */
		QUEUED

	}

}

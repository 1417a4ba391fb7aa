package io.interlock.provider;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockException;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition under way. The outcome is decided once: by the service with a grant or a
 * refusal, or by the caller with {@link #abandon()}, whichever comes first.
 * Implementations are safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface LockAttempt {

	/**
	 * {@return the outcome: the grant, or empty when others hold the lock and the request
	 * does not wait} Contention has no other form. Infrastructure failures complete it
	 * with a {@link LockException}. An abandoned attempt is cancelled, unless the grant
	 * came first. The completing thread may be one of a client, which must not block.
	 */
	CompletableFuture<Optional<LockGrant>> outcome();

	/** Return what a caller that gives up now was waiting for. */
	Phase phase();

	/**
	 * Return the latest failure of the service, if known, for the message of a caller
	 * that gives up.
	 */
	default @Nullable Throwable obstacle() {
		return null;
	}

	/**
	 * Return whether the service has told that others have the lock or come first, for
	 * the message of a caller that gives up. Called after {@link #phase()}. An attempt
	 * that concludes it from holders of this JVM returns {@code false}.
	 */
	default boolean isToldOfOthers() {
		return true;
	}

	/**
	 * Give up. When this returns, {@link #outcome()} is complete: cancelled or, if the
	 * grant came first, with a grant that the caller owns. Does not block; what is left
	 * on the servers is removed in the background, as soon as they can be reached.
	 */
	void abandon();

	/** What an attempt waits for. */
	enum Phase {

		/** The service does not answer. */
		CONNECTING,

		/** The request is on its way and was not answered yet. */
		CREATING,

		/** The service has answered lately, and other contenders are in front. */
		QUEUED

	}

}

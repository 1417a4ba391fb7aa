package io.interlock.lease;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What a {@link LeaseLockProvider} knows of its store at one moment.
 *
 * @param state state of the connection
 * @param answerAge how long ago the store has answered last, whatever it was asked, or
 * {@code null} if it never has
 * @param failure why the newest question was not answered, or {@code null} if it was
 * @param holds how many locks this instance holds
 * @param pendingReleases how many releases the store has not answered yet
 * @since 0.1.0
 */
public record LeaseStoreSnapshot(State state, @Nullable Duration answerAge, @Nullable String failure, int holds,
		int pendingReleases) {

	/** State of the connection. */
	public enum State {

		/** The store has not answered yet. */
		CONNECTING,

		/** The store answers, as far as is known. */
		CONNECTED,

		/** The store does not answer, or refuses. Leases of held locks may still run. */
		SUSPENDED,

		/** The store has not answered for so long that leases are over. */
		LOST,

		/** The provider was closed. */
		CLOSED

	}

}

package io.interlock.admin;

import io.interlock.LockId;
import io.interlock.RevocationRequest;

/**
 * Observes the operations of operators. Exceptions of a listener are logged and change
 * nothing. The token is the contender's, {@code requestedBy} names the operator, and the
 * reason is a {@link StaleTokenException} or a {@link LockInspectionException}.
 *
 * @since 0.1.0
 */
public interface LockAdministrationListener {

	/** A contender was released by force. */
	default void onReleased(LockRevoker.Target target, String requestedBy) {
	}

	/** A contender was not released by force. */
	default void onNotReleased(LockId id, long token, String requestedBy, RuntimeException reason) {
	}

	/** An operator asked a holder to give up a lock. */
	default void onRequested(LockRevoker.Target target, RevocationRequest request) {
	}

	/** The request to a holder to give up a lock failed. */
	default void onNotRequested(LockId id, long token, RevocationRequest request, RuntimeException reason) {
	}

}

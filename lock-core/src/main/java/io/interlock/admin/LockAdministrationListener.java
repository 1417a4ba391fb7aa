package io.interlock.admin;

import io.interlock.LockId;
import io.interlock.RevocationRequest;

/**
 * Observes what operators do to locks. A listener that throws is logged and changes
 * nothing. The token is that of the contender, {@code requestedBy} names the operator. A
 * refused or failed operation is reported with its reason, a {@link StaleTokenException}
 * or a {@link LockInspectionException}.
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

	/** A holder was asked to give up a lock. */
	default void onRequested(LockRevoker.Target target, RevocationRequest request) {
	}

	/** A holder could not be asked to give up a lock. */
	default void onNotRequested(LockId id, long token, RevocationRequest request, RuntimeException reason) {
	}

}

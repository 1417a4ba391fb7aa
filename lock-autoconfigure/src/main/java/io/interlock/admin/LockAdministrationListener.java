package io.interlock.admin;

import io.interlock.LockId;
import io.interlock.RevocationRequest;

/**
 * Observes what operators do to locks. A listener that throws is logged and changes
 * nothing.
 *
 * @since 0.1.0
 */
public interface LockAdministrationListener {

	/**
	 * A node was taken out of the queue of a lock.
	 * @param node the node
	 * @param requestedBy who asked for it
	 */
	default void onReleased(TokenNode node, String requestedBy) {
	}

	/**
	 * A release was refused or failed.
	 * @param id which lock
	 * @param token token of the node that was meant
	 * @param requestedBy who asked for it
	 * @param reason a {@link StaleTokenException} or a {@link LockInspectionException}
	 */
	default void onNotReleased(LockId id, long token, String requestedBy, RuntimeException reason) {
	}

	/**
	 * A holder was asked to give a lock up.
	 * @param node its node
	 * @param request who asked
	 */
	default void onRequested(TokenNode node, RevocationRequest request) {
	}

	/**
	 * A holder could not be asked to give a lock up.
	 * @param id which lock
	 * @param token token of the node that was meant
	 * @param request who asked
	 * @param reason a {@link StaleTokenException} or a {@link LockInspectionException}
	 */
	default void onNotRequested(LockId id, long token, RevocationRequest request, RuntimeException reason) {
	}

}

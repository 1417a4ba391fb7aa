package io.interlock.admin;

import io.interlock.LockId;

/**
 * Takes nodes out of the queues of locks: the part of {@link LockAdministrator} that
 * knows the coordination service. Implementations are safe for use by many threads.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockNodes {

	/**
	 * Delete the node of one token. Returns within a second, whatever the state of the
	 * service.
	 * @param id which lock
	 * @param token token of the node, so that a newer one is never hit
	 * @return the node
	 * @throws StaleTokenException if no node of that lock has this token any more
	 * @throws LockInspectionException if the service does not answer or does not permit
	 * it
	 */
	ReleasedNode delete(LockId id, long token);

}

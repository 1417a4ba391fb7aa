package io.interlock.admin;

import io.interlock.LockId;
import io.interlock.RevocationRequest;
import org.jspecify.annotations.Nullable;

/**
 * Takes nodes out of the queues of locks, or asks for that: the part of
 * {@link LockAdministrator} that knows the coordination service. Implementations are safe
 * for use by many threads.
 *
 * @since 0.1.0
 */
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
	TokenNode delete(LockId id, long token);

	/**
	 * Ask the holder of one token to give the lock up. Returns within a second, whatever
	 * the state of the service, and waits for nothing that the holder does.
	 * @param id which lock
	 * @param token token of the node, so that a newer one is never meant
	 * @param handoff hand-off number of the holder, so that nobody is meant to whom the
	 * lock was handed since then; {@code null} for whoever holds it by that token
	 * @param request who asks
	 * @return the node
	 * @throws StaleTokenException if no node of that lock has this token any more
	 * @throws LockInspectionException if the service does not answer or does not permit
	 * it
	 */
	TokenNode requestRevocation(LockId id, long token, @Nullable Integer handoff, RevocationRequest request);

}

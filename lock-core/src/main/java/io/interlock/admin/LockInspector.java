package io.interlock.admin;

/**
 * Reads the locks of all clients, with their holders and waiters, from the coordination
 * service. It needs no more than the permission to read. Implementations are safe for use
 * by many threads.
 *
 * @since 0.1.0
 */
public interface LockInspector {

	/**
	 * Read locks, within a second, whatever the state of the service. The locks are read
	 * one after the other, so the page is no snapshot of one moment.
	 * @param query which locks to read
	 * @return the locks
	 * @throws LockInspectionException if they could not be read
	 */
	LockPage locks(LockQuery query);

}

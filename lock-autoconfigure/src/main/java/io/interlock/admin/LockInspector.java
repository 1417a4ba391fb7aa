package io.interlock.admin;

/**
 * Reads from the coordination service which locks there are, who holds them and who waits
 * for them, in all instances and other clients. Needs no more than the permission to
 * read. Implementations are safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface LockInspector {

	/**
	 * Read locks. The answer is no snapshot of one moment: each part of it was so while
	 * it was read. Returns within a second, whatever the state of the service.
	 * @param query which locks, and how many
	 * @return the locks
	 * @throws LockInspectionException if they could not be read
	 */
	LockPage locks(LockQuery query);

}

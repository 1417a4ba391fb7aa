package io.interlock.template;

import java.util.List;

/**
 * What the threads of this JVM hold and wait for through one {@link LockTemplate}. Safe
 * for use by many threads.
 *
 * @since 0.1.0
 */
public final class HeldLocks {

	/**
	 * Return the locks that are held, oldest first. Joining one's own hold again adds no
	 * entry.
	 * @return a snapshot
	 */
	public List<LockSnapshot> held() {
		return List.of();
	}

	/**
	 * Return the locks that are waited for, oldest first.
	 * @return a snapshot
	 */
	public List<LockSnapshot> waiting() {
		return List.of();
	}

}

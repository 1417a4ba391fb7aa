package io.interlock.admin;

import java.time.Duration;
import java.time.Instant;

import io.interlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * A node in the queue of a lock.
 *
 * @param position place in the queue, 0 for the first
 * @param node name of the node
 * @param kind which kind of client makes such nodes
 * @param mode how it asks for the lock
 * @param token fencing token: the transaction that created the node; {@code null} if the
 * node went while it was read, or may not be read
 * @param session session that the node belongs to; {@code null} also for a node that no
 * session belongs to, which stays until somebody deletes it
 * @param since when the node was created, by the clock of the servers
 * @param age how long ago that was by the clock of this machine, so that it is wrong by
 * as much as the clocks differ
 * @param owner who made it, as far as the node says so
 * @since 0.1.0
 */
public record QueuedNode(int position, String node, Kind kind, LockMode mode, @Nullable Long token,
		@Nullable String session, @Nullable Instant since, @Nullable Duration age, @Nullable NodeOwner owner) {

	/**
	 * Kinds of clients, by the names of their nodes.
	 */
	public enum Kind {

		/**
		 * Curator's mutex, which Interlock's exclusive locks look like.
		 */
		CURATOR_MUTEX,

		/**
		 * The write lock of Curator, and of Interlock among such peers.
		 */
		CURATOR_WRITE,

		/**
		 * The read lock of Curator, which Interlock's shared locks look like.
		 */
		CURATOR_READ,

		/**
		 * Kazoo's lock and write lock.
		 */
		KAZOO_LOCK,

		/**
		 * Kazoo's read lock.
		 */
		KAZOO_READ

	}

}

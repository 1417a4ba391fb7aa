package io.interlock.admin;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Who made a node in the queue of a lock, as far as the node says so. Nothing in it is
 * verified: it is what somebody wrote.
 *
 * @param kind what was found
 * @param version version of the record, if it is one of Interlock's
 * @param application name of the application
 * @param instance identifier of the instance
 * @param host host that the instance runs on
 * @param pid process id of the instance
 * @param thread name of the thread that asked for the lock
 * @param since when it began to ask, by the clock of its machine
 * @param name name of the lock as the application wrote it
 * @param key key of the lock as the application wrote it
 * @param traceId identifier of the trace that the thread ran in
 * @param text the start of what was found, unless a record says it all
 * @since 0.1.0
 */
public record NodeOwner(Kind kind, @Nullable Integer version, @Nullable String application, @Nullable String instance,
		@Nullable String host, @Nullable Long pid, @Nullable String thread, @Nullable Instant since,
		@Nullable String name, @Nullable String key, @Nullable String traceId, @Nullable String text) {

	/**
	 * Describe a node that Interlock did not make.
	 * @param kind what was found
	 * @param text the start of it, if it can be read
	 * @return the owner
	 */
	public static NodeOwner foreign(Kind kind, @Nullable String text) {
		return new NodeOwner(kind, null, null, null, null, null, null, null, null, null, null, text);
	}

	/**
	 * What the data of a node can be.
	 */
	public enum Kind {

		/**
		 * A record of Interlock's.
		 */
		INTERLOCK,

		/**
		 * An IP address, which is what plain Curator writes.
		 */
		ADDRESS,

		/**
		 * Any other text: Kazoo writes an identifier of the application's.
		 */
		TEXT,

		/**
		 * Nothing.
		 */
		EMPTY,

		/**
		 * Something that is no text.
		 */
		BINARY

	}

}

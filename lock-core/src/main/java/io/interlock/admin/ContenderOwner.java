package io.interlock.admin;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Owner of a node in the queue of a lock by the data of the node, which is not verified.
 *
 * @param kind kind of the data
 * @param version version of the record, if it is one of Interlock's
 * @param application name of the application
 * @param instance identifier of the instance
 * @param host host of the instance
 * @param pid process id of the instance
 * @param thread name of the thread that asked for the lock, or the text for an operator
 * @param since when it began to wait, by the clock of its machine
 * @param name name of the lock as the application wrote it
 * @param key key of the lock as the application wrote it
 * @param traceId identifier of the trace of the thread
 * @param text start of the data, unless the other fields have all of it
 * @since 0.1.0
 */
public record ContenderOwner(Kind kind, @Nullable Integer version, @Nullable String application,
		@Nullable String instance, @Nullable String host, @Nullable Long pid, @Nullable String thread,
		@Nullable Instant since, @Nullable String name, @Nullable String key, @Nullable String traceId,
		@Nullable String text) {

	/** Describe the owner of a node of another client, with the start of its text. */
	public static ContenderOwner foreign(Kind kind, @Nullable String text) {
		return new ContenderOwner(kind, null, null, null, null, null, null, null, null, null, null, text);
	}

	/** Return the instance and thread in one line, or the text of another client. */
	public String summary() {
		String client = (this.instance != null) ? this.instance : this.application;
		if (client == null) {
			client = StringUtils.hasText(this.text) ? this.text : "a client without a name";
		}
		return (this.thread != null) ? client + ", thread " + this.thread : client;
	}

	/**
	 * Kinds of data: a record of Interlock, an IP address of plain Curator, other text
	 * such as the identifier of a Kazoo client, no data, binary data, or data that was
	 * not read because it is too long for a record or the answer has enough already.
	 */
	public enum Kind {

		INTERLOCK, ADDRESS, TEXT, EMPTY, BINARY, NOT_READ

	}

}

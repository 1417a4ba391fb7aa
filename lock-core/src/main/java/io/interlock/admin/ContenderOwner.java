package io.interlock.admin;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Owner of a node in the queue of a lock, as far as its data tells. Nothing in it is
 * verified.
 *
 * @param kind kind of the data
 * @param version version of the record, if it is one of Interlock's
 * @param application name of the application
 * @param instance identifier of the instance
 * @param host host of the instance
 * @param pid process id of the instance
 * @param thread name of the thread that asked for the lock
 * @param since when it began to ask, by the clock of its machine
 * @param name name of the lock as the application wrote it
 * @param key key of the lock as the application wrote it
 * @param traceId identifier of the trace that the thread ran in
 * @param text start of the data, unless the other fields say all of it
 * @since 0.1.0
 */
public record ContenderOwner(Kind kind, @Nullable Integer version, @Nullable String application,
		@Nullable String instance, @Nullable String host, @Nullable Long pid, @Nullable String thread,
		@Nullable Instant since, @Nullable String name, @Nullable String key, @Nullable String traceId,
		@Nullable String text) {

	/**
	 * Describe the owner of a node that another client made.
	 * @param kind kind of the data
	 * @param text start of the data, if it is text
	 * @return the owner
	 */
	public static ContenderOwner foreign(Kind kind, @Nullable String text) {
		return new ContenderOwner(kind, null, null, null, null, null, null, null, null, null, null, text);
	}

	/**
	 * {@return the owner in one line, for people: instance and thread, or what another
	 * client says of itself}
	 */
	public String summary() {
		String client = (this.instance != null) ? this.instance : this.application;
		if (client == null) {
			client = StringUtils.hasText(this.text) ? this.text : "a client without a name";
		}
		return (this.thread != null) ? client + ", thread " + this.thread : client;
	}

	/**
	 * Kinds of data: a record of Interlock's, an IP address as plain Curator writes it,
	 * other text such as the identifier that a user of Kazoo sets, no data, data that is
	 * no text, or data that was not read because it is longer than any record, or because
	 * the answer has enough already.
	 */
	public enum Kind {

		INTERLOCK, ADDRESS, TEXT, EMPTY, BINARY, NOT_READ

	}

}

package io.interlock.zookeeper.internal.operator;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Pattern;

import io.interlock.admin.ContenderOwner;
import io.interlock.admin.ContenderOwner.Kind;
import io.interlock.internal.PrintableText;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** A node of any client; without data if that was not read. */
record NodeData(byte @Nullable [] data, Stat stat) {

	private static final int MAX_TEXT = 200;

	private static final Pattern ADDRESS = Pattern
		.compile("\\d{1,3}(\\.\\d{1,3}){3}|(?=.*:.*:)[0-9a-fA-F:]{2,39}(\\.\\d{1,3}){0,3}(%\\w{1,20})?");

	ContenderOwner owner() {
		int length = (this.data == null) ? this.stat.getDataLength() : 0;
		String text = (length > OwnerRecord.MAX_BYTES) ? "owner record too large (%d bytes)".formatted(length) : null;
		return (length > 0) ? ContenderOwner.foreign(Kind.NOT_READ, text) : owner(this.data);
	}

	/**
	 * Describe an owner from any data, without failing. A record of a later version may
	 * have more fields, so its text is shown too.
	 */
	static ContenderOwner owner(byte @Nullable [] data) {
		if (data == null || data.length == 0) {
			return ContenderOwner.foreign(Kind.EMPTY, null);
		}
		String text = text(data);
		if (text == null) {
			return ContenderOwner.foreign(Kind.BINARY, null);
		}
		Map<String, Object> values = OwnerRecord.parse(text);
		if (values == null || !(values.get("version") instanceof Long version) || version <= 0
				|| version > Integer.MAX_VALUE) {
			return ContenderOwner.foreign(ADDRESS.matcher(text).matches() ? Kind.ADDRESS : Kind.TEXT, start(text));
		}
		return new ContenderOwner(Kind.INTERLOCK, version.intValue(), text(values, "application"),
				text(values, "instance"), text(values, "host"), (values.get("pid") instanceof Long pid) ? pid : null,
				text(values, "thread"), instant(values, "since"), exact(values, "name"), exact(values, "key"),
				text(values, "traceId"), (version > OwnerRecord.VERSION) ? start(text) : null);
	}

	private static @Nullable String text(byte[] data) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data)).toString();
		}
		catch (CharacterCodingException ex) {
			return null;
		}
	}

	private static @Nullable String text(Map<String, Object> values, String field) {
		return (values.get(field) instanceof String text) ? start(text) : null;
	}

	/** Return a part of the identifier of a lock, which the hash in its node proves. */
	private static @Nullable String exact(Map<String, Object> values, String field) {
		return (values.get(field) instanceof String text) ? cut(text) : null;
	}

	private static @Nullable Instant instant(Map<String, Object> values, String field) {
		try {
			return (values.get(field) instanceof String text) ? Instant.parse(text) : null;
		}
		catch (DateTimeException ex) {
			return null;
		}
	}

	private static String start(String text) {
		return PrintableText.of(cut(text));
	}

	private static String cut(String text) {
		return (text.length() <= MAX_TEXT) ? text : text.substring(0, MAX_TEXT) + OwnerRecord.CUT;
	}

}

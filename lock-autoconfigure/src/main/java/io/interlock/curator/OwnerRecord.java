package io.interlock.curator;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Pattern;

import io.interlock.admin.NodeOwner;
import io.interlock.admin.NodeOwner.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link LockNodeData} writes, and whatever else is found in a lock node: of
 * another client, of a later version, or garbage. It never fails.
 */
final class OwnerRecord {

	private static final int MAX_PARSED = 4096;

	private static final int MAX_TEXT = 200;

	private static final Pattern ADDRESS = Pattern
		.compile("\\d{1,3}(\\.\\d{1,3}){3}|(?=.*:.*:)[0-9a-fA-F:]{2,39}(\\.\\d{1,3}){0,3}(%\\w{1,20})?");

	private final Map<String, Object> values;

	private OwnerRecord(Map<String, Object> values) {
		this.values = values;
	}

	/**
	 * Parse the data of a node.
	 * @param data the data
	 * @return who made the node, as far as the data tells
	 */
	static NodeOwner parse(byte @Nullable [] data) {
		if (data == null || data.length == 0) {
			return NodeOwner.foreign(Kind.EMPTY, null);
		}
		String text = text(data);
		if (text == null) {
			return NodeOwner.foreign(Kind.BINARY, null);
		}
		Map<String, Object> values = (data.length <= MAX_PARSED) ? FlatJson.parse(text) : null;
		if (values != null && values.get("version") instanceof Long version && version > 0
				&& version <= Integer.MAX_VALUE) {
			return new OwnerRecord(values).owner(version.intValue(), text);
		}
		return NodeOwner.foreign(ADDRESS.matcher(text).matches() ? Kind.ADDRESS : Kind.TEXT, start(text));
	}

	/**
	 * Describe the owner. A later version may say more than what is known here, so it is
	 * shown itself too.
	 */
	private NodeOwner owner(int version, String text) {
		return new NodeOwner(Kind.INTERLOCK, version, string("application"), string("instance"), string("host"),
				(this.values.get("pid") instanceof Long pid) ? pid : null, string("thread"), instant("since"),
				string("name"), string("key"), string("traceId"),
				(version > LockNodeData.VERSION) ? start(text) : null);
	}

	private @Nullable String string(String field) {
		return (this.values.get(field) instanceof String value) ? start(value) : null;
	}

	private @Nullable Instant instant(String field) {
		try {
			return (this.values.get(field) instanceof String value) ? Instant.parse(value) : null;
		}
		catch (DateTimeException ex) {
			return null;
		}
	}

	private static @Nullable String text(byte[] data) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data)).toString();
		}
		catch (CharacterCodingException ex) {
			return null;
		}
	}

	private static String start(String text) {
		return (text.length() <= MAX_TEXT) ? text : text.substring(0, MAX_TEXT) + FlatJsonWriter.CUT;
	}

}

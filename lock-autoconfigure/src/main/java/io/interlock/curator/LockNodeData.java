package io.interlock.curator;

import java.nio.charset.StandardCharsets;

import io.interlock.LockId;
import io.interlock.LockOwner;
import org.jspecify.annotations.Nullable;

/**
 * What a lock node says about who made it: a small JSON record for people who look at it
 * with {@code zkCli.sh get}. Nothing in it decides anything.
 */
final class LockNodeData {

	/**
	 * Of one text, escaped: nodes stay below 1 KB, whatever they are asked to say.
	 */
	private static final int MAX_LENGTH = 120;

	private LockNodeData() {
	}

	static byte[] of(LockId id, LockOwner owner, String instance) {
		StringBuilder json = new StringBuilder("{\"version\":1");
		append(json, "instance", instance);
		append(json, "thread", owner.thread());
		append(json, "since", owner.since().toString());
		append(json, "name", id.name());
		append(json, "key", id.key());
		append(json, "traceId", owner.traceId());
		return json.append('}').toString().getBytes(StandardCharsets.UTF_8);
	}

	private static void append(StringBuilder json, String field, @Nullable String value) {
		if (value == null) {
			return;
		}
		json.append(",\"").append(field).append("\":\"");
		int end = json.length() + MAX_LENGTH;
		for (int i = 0; i < value.length(); i++) {
			if (json.length() >= end) {
				json.append("...");
				break;
			}
			append(json, value.charAt(i));
		}
		json.append('"');
	}

	private static void append(StringBuilder json, char character) {
		if (character < ' ' || character > '~' || character == '"' || character == '\\') {
			json.append("\\u%04x".formatted((int) character));
		}
		else {
			json.append(character);
		}
	}

}

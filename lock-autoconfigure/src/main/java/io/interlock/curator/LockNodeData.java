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

	private static final int MAX_TEXT = 100;

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
		value.chars().limit(MAX_TEXT).forEach((character) -> {
			if (character < ' ' || character > '~' || character == '"' || character == '\\') {
				json.append("\\u%04x".formatted(character));
			}
			else {
				json.append((char) character);
			}
		});
		json.append((value.length() > MAX_TEXT) ? "...\"" : "\"");
	}

}

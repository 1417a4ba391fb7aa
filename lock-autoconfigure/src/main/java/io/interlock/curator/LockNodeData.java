package io.interlock.curator;

import java.nio.charset.StandardCharsets;

import io.interlock.LockId;
import io.interlock.LockOwner;
import org.jspecify.annotations.Nullable;

/**
 * What a lock node says about who made it: a small JSON record for people who look at it
 * with {@code zkCli.sh get}. Nothing in it decides anything. Where several threads of an
 * instance hold the lock one after the other through one node, it tells of the first.
 *
 * @see OwnerRecord
 */
final class LockNodeData {

	static final int VERSION = 1;

	/**
	 * Ends a text that was too long.
	 */
	static final String CUT = "...";

	private final StringBuilder json = new StringBuilder(256).append("{\"version\":").append(VERSION);

	private LockNodeData() {
	}

	/**
	 * Write a record. Texts are cut so that it stays below 1 KB, whatever they are.
	 */
	static byte[] of(LockId id, LockOwner owner, String instance, InstanceDetails details) {
		LockNodeData data = new LockNodeData();
		data.append("application", details.application(), 80);
		data.append("instance", instance, 100);
		data.append("host", details.host(), 80);
		data.append("pid", details.pid());
		data.append("thread", owner.thread(), 100);
		data.append("since", owner.since().toString(), 40);
		data.append("name", id.name(), 140);
		data.append("key", id.key(), 200);
		data.append("traceId", owner.traceId(), 60);
		return data.json.append('}').toString().getBytes(StandardCharsets.UTF_8);
	}

	private void append(String field, @Nullable Long value) {
		if (value != null) {
			this.json.append(",\"").append(field).append("\":").append(value);
		}
	}

	private void append(String field, @Nullable String value, int maxLength) {
		if (value == null) {
			return;
		}
		this.json.append(",\"").append(field).append("\":\"");
		int end = this.json.length() + maxLength;
		for (int i = 0; i < value.length(); i++) {
			int before = this.json.length();
			append(value.charAt(i));
			if (this.json.length() > end) {
				this.json.setLength(before);
				this.json.append(CUT);
				break;
			}
		}
		this.json.append('"');
	}

	private void append(char character) {
		if (character < ' ' || character > '~' || character == '"' || character == '\\') {
			this.json.append("\\u%04x".formatted((int) character));
		}
		else {
			this.json.append(character);
		}
	}

}

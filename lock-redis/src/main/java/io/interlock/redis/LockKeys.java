package io.interlock.redis;

import io.interlock.LockId;

/**
 * The keys of locks, such as <code>interlock:{stock:A-1}</code>: readable, different for
 * different locks, and with a hash tag, so that keys which are added for a lock later
 * have its slot. In a name or key, a brace, a percent sign and, in a name, a colon are
 * encoded.
 */
final class LockKeys {

	private final String start;

	LockKeys(String prefix) {
		this.start = prefix + "{";
	}

	String keyOf(LockId id) {
		String name = encode(id.name()).replace(":", "%3A");
		return this.start + ((id.key() != null) ? name + ":" + encode(id.key()) : name) + "}";
	}

	LockId lockOf(String key) {
		String text = key.substring(this.start.length(), key.length() - 1);
		int colon = text.indexOf(':');
		return (colon < 0) ? new LockId(decode(text), null)
				: new LockId(decode(text.substring(0, colon)), decode(text.substring(colon + 1)));
	}

	private static String encode(String text) {
		return text.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
	}

	private static String decode(String text) {
		return text.replace("%3A", ":").replace("%7D", "}").replace("%7B", "{").replace("%25", "%");
	}

}

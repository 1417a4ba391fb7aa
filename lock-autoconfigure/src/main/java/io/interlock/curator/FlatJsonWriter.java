package io.interlock.curator;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * Writes one flat JSON object, of ASCII characters only, so that {@code zkCli.sh} shows
 * it everywhere. Fields without a value are left out.
 *
 * @see FlatJson
 */
final class FlatJsonWriter {

	/**
	 * Ends a text that was too long.
	 */
	static final String CUT = "...";

	private final StringBuilder json = new StringBuilder(256);

	FlatJsonWriter append(String field, @Nullable Number value) {
		if (value != null) {
			appendName(field);
			this.json.append(value);
		}
		return this;
	}

	/**
	 * Append a text.
	 * @param maxLength where to cut it, in characters of JSON
	 */
	FlatJsonWriter append(String field, @Nullable String value, int maxLength) {
		if (value == null) {
			return this;
		}
		appendName(field);
		this.json.append('"');
		long end = (long) this.json.length() + maxLength;
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
		return this;
	}

	private void appendName(String field) {
		this.json.append(this.json.isEmpty() ? '{' : ',').append('"').append(field).append("\":");
	}

	private void append(char character) {
		if (character < ' ' || character > '~' || character == '"' || character == '\\') {
			this.json.append("\\u%04x".formatted((int) character));
		}
		else {
			this.json.append(character);
		}
	}

	byte[] toBytes() {
		return toString().getBytes(StandardCharsets.UTF_8);
	}

	@Override
	public String toString() {
		return this.json + "}";
	}

}

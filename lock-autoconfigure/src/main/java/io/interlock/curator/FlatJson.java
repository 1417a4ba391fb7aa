package io.interlock.curator;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Reads one flat JSON object: what an owner record is. Applications need no JSON library
 * for locks, and what is read here may have been written by anybody.
 */
final class FlatJson {

	private final String text;

	private int position;

	private FlatJson(String text) {
		this.text = text;
	}

	/**
	 * Parse an object whose values are strings, numbers and literals.
	 * @param text what to parse
	 * @return a {@code String} for each string, a {@code Long} for each integer, and the
	 * text itself for anything else; {@code null} if it is no such object
	 */
	static @Nullable Map<String, Object> parse(String text) {
		try {
			return new FlatJson(text).object();
		}
		catch (IllegalArgumentException | IndexOutOfBoundsException ex) {
			return null;
		}
	}

	private Map<String, Object> object() {
		Map<String, Object> values = new LinkedHashMap<>();
		expect('{');
		boolean more = next() != '}';
		while (more) {
			String field = string();
			expect(':');
			values.put(field, (next() == '"') ? string() : literal());
			more = next() == ',';
			if (more) {
				this.position++;
			}
		}
		expect('}');
		if (!this.text.substring(this.position).isBlank()) {
			throw new IllegalArgumentException("Text after the object");
		}
		return values;
	}

	/**
	 * Return the next character that is no white space, and stay before it.
	 */
	private char next() {
		while (Character.isWhitespace(this.text.charAt(this.position))) {
			this.position++;
		}
		return this.text.charAt(this.position);
	}

	private void expect(char expected) {
		if (next() != expected) {
			throw new IllegalArgumentException("No " + expected);
		}
		this.position++;
	}

	private String string() {
		expect('"');
		StringBuilder value = new StringBuilder();
		while (true) {
			char character = this.text.charAt(this.position++);
			if (character == '"') {
				return value.toString();
			}
			value.append((character == '\\') ? escaped() : character);
		}
	}

	private char escaped() {
		char character = this.text.charAt(this.position++);
		return switch (character) {
			case '"', '\\', '/' -> character;
			case 'b' -> '\b';
			case 'f' -> '\f';
			case 'n' -> '\n';
			case 'r' -> '\r';
			case 't' -> '\t';
			case 'u' -> {
				this.position += 4;
				yield (char) Integer.parseInt(this.text, this.position - 4, this.position, 16);
			}
			default -> throw new IllegalArgumentException("Unknown escape");
		};
	}

	private Object literal() {
		next();
		int start = this.position;
		while (",} \t\r\n".indexOf(this.text.charAt(this.position)) < 0) {
			this.position++;
		}
		String literal = this.text.substring(start, this.position);
		if (literal.matches("-?\\d{1,18}")) {
			return Long.parseLong(literal);
		}
		if (!literal.matches("true|false|null|-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?")) {
			throw new IllegalArgumentException("Not flat: " + literal);
		}
		return literal;
	}

}

package io.interlock.internal;

/**
 * Texts of callers and of other clients, made safe for one line of a log. Control and
 * format characters, line separators, bidirectional controls and lone surrogates are
 * escaped as Java does it. All other characters stay. Stateless.
 *
 * @since 0.1.0
 */
public final class PrintableText {

	private PrintableText() {
	}

	/** Escape characters that begin a line, steer a terminal or reorder a text. */
	public static String of(String text) {
		if (text.codePoints().noneMatch(PrintableText::isEscaped)) {
			return text;
		}
		StringBuilder printable = new StringBuilder(text.length() + 16);
		text.codePoints().forEach((point) -> {
			if (!isEscaped(point)) {
				printable.appendCodePoint(point);
				return;
			}
			for (char unit : Character.toChars(point)) {
				printable.append("\\u%04x".formatted((int) unit));
			}
		});
		return printable.toString();
	}

	private static boolean isEscaped(int point) {
		return switch (Character.getType(point)) {
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
					Character.SURROGATE ->
				true;
			default -> false;
		};
	}

}

package io.interlock.jdbc;

import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ReadableText}.
 */
class ReadableTextTests {

	@ParameterizedTest
	@ValueSource(strings = { "A-1", "caf\u00E9", "two  words ", "C:\\temp", "\u00FF" })
	void textOfLatinLettersStays(String text) {
		assertThat(ReadableText.of(text)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource({ "0, \\u0000", "10, \\u000a", "127, \\u007f", "133, \\u0085", "8232, \\u2028", "20013, \\u4e2d",
			"55357, \\ud83d", "128274, \\ud83d\\udd12" })
	void othersAreEscaped(int point, String escaped) {
		assertThat(ReadableText.of("a" + Character.toString(point) + "b")).isEqualTo("a" + escaped + "b");
	}

	@Test
	void textThatFitsIsNotCut() {
		assertThat(ReadableText.of("x".repeat(255))).isEqualTo("x".repeat(255));
		assertThat(ReadableText.of("x".repeat(256))).isEqualTo("x".repeat(252) + "...");
		assertThat(ReadableText.of("x".repeat(249) + "\0")).isEqualTo("x".repeat(249) + "\\u0000");
	}

	@Test
	void noEscapedCharacterIsCutInHalf() {
		IntStream.range(0, 14).mapToObj("x"::repeat).forEach((start) -> {
			assertThat(ReadableText.of(start + "\0".repeat(100))).hasSizeBetween(250, 255)
				.matches("x*(\\\\u0000)+\\.\\.\\.");
			assertThat(ReadableText.of(start + "\uD83D\uDD12".repeat(100))).hasSizeBetween(244, 255)
				.matches("x*(\\\\ud83d\\\\udd12)+\\.\\.\\.");
		});
	}

}

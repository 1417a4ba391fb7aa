package io.interlock.architecture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CodeLines}.
 */
class CodeLinesTests {

	@Test
	void countsCodeOnly() {
		assertThat(CodeLines.in("""
				package shop;

				import java.util.List;
				import static java.util.Map.entry;

				/**
				 * Sells.
				 */
				class Shop {

					/** Where it is. */
					String place; // may change

					/* not sold
					String name;
					*/
					// String city;

				}
				""")).isEqualTo(3);
	}

	@ParameterizedTest
	@ValueSource(strings = { "'/' + \"/*\"\n+ \"*/\"", "\"http://shop\"\n+ 1", "\"\\\"/*\"\n+ \"*/\"",
			"\"\"\"\n/* $1 */\"\"\"", "important(\npackages)" })
	void textIsNoComment(String source) {
		assertThat(CodeLines.in(source)).isEqualTo(2);
	}

}

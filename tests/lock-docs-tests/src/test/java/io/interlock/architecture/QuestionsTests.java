package io.interlock.architecture;

import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a stranger asks first is answered two clicks behind the README, in a few words.
 */
class QuestionsTests {

	private static final int MAX_WORDS = 300;

	private static final Page INTERNALS = Page.of("../../docs/internals/README.md");

	@ParameterizedTest
	@MethodSource("answers")
	void answerIsNearAndShort(String answer) {
		String page = answer.substring("../".length(), answer.indexOf('#'));
		assertThat(Page.of("../../README.md").links()).as("pages that the README links to")
			.anyMatch((link) -> link.equals("docs/" + page) || link.startsWith("docs/" + page + "#"));
		String section = Page.of("../../docs/" + page).section(answer.substring(answer.indexOf('#') + 1));
		assertThat(Arrays.stream(section.split("\\s+")).filter((word) -> !word.isBlank())).as("words of %s", answer)
			.hasSizeBetween(20, MAX_WORDS);
	}

	@Test
	void tenAreAnswered() {
		assertThat(answers()).hasSize(10).doesNotHaveDuplicates();
	}

	private static List<String> answers() {
		return INTERNALS.section("ten-questions-of-a-stranger")
			.lines()
			.filter((line) -> line.startsWith("- "))
			.flatMap((line) -> new Page(INTERNALS.path(), line).links().stream())
			.toList();
	}

}

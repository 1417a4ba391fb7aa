package io.interlock.architecture;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The words of pages are plain English: the rules are in CONTRIBUTING.md.
 */
class ProseTests {

	private static final int MAX_WORDS = 35;

	/**
	 * Phrases that are not used, and what to write instead.
	 */
	private static final List<Phrase> PHRASES = List.of(
			new Phrase("nobody|somebody|anybody|everybody|everyone|someone",
					"name the caller, waiter, holder, client or operator"),
			new Phrase("(?<!\\b(?:operators|operator|readers|users|people|visitors|buyers|buyer) )who|whom",
					"'that', or name the caller, waiter, holder or client"),
			new Phrase("he|him|his", "'it' for a thread, 'they' for a person"));

	private static final Pattern INLINE_CODE = Pattern.compile("`[^`\\n]*`");

	private static final Pattern TARGET = Pattern.compile("\\]\\([^)]*\\)|<!--.*?-->", Pattern.DOTALL);

	private static final Pattern BLOCK_END = Pattern.compile("\\n\\s*\\n|\\n(?=\\s*(?:[-*#>|]|\\d+\\.) ?)|\\|");

	private static final Pattern SENTENCE_END = Pattern.compile("(?<=[.!?:;])\\**\\s+");

	@Test
	void pagesHaveNoSuchPhrases() {
		assertThat(Page.all().stream().flatMap((page) -> phrases(page.path(), prose(page)))).isEmpty();
	}

	@Test
	void sentencesOfPagesAreShort() {
		assertThat(Page.all()
			.stream()
			.flatMap((page) -> BLOCK_END.splitAsStream(prose(page))
				.flatMap(SENTENCE_END::splitAsStream)
				.filter((sentence) -> words(sentence) > MAX_WORDS)
				.map((sentence) -> "%s: %d words: %s".formatted(page, words(sentence), sentence))))
			.isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "Nobody holds it, 1", "the thread who holds it, 1", "operators who free it, 0", "he waits, 1",
			"whose node it is, 0", "the others, 0" })
	void phrasesAreFound(String text, int count) {
		assertThat(phrases(Path.of("example"), text)).hasSize(count);
	}

	private static Stream<String> phrases(Path where, String text) {
		return PHRASES.stream().flatMap((phrase) -> phrase.find(where, text));
	}

	private static String prose(Page page) {
		return TARGET.matcher(INLINE_CODE.matcher(page.withoutCode()).replaceAll("X")).replaceAll("]");
	}

	private static int words(String sentence) {
		return sentence.strip().split("\\s+").length;
	}

	/**
	 * A phrase that is not used.
	 *
	 * @param pattern finds it
	 * @param instead what to write
	 */
	private record Phrase(Pattern pattern, String instead) {

		Phrase(String regex, String instead) {
			this(Pattern.compile("(?i)\\b(?:" + regex + ")\\b"), instead);
		}

		Stream<String> find(Path where, String text) {
			String line = text.replaceAll("\\s+", " ");
			return this.pattern.matcher(line)
				.results()
				.map((found) -> "%s: '%s' in \"%s\". Instead: %s".formatted(where, found.group(), around(line, found),
						this.instead));
		}

		private static String around(String line, MatchResult found) {
			return line.substring(Math.max(0, found.start() - 40), Math.min(line.length(), found.end() + 40));
		}

	}

}

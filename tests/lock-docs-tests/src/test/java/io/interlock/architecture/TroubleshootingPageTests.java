package io.interlock.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page for troubleshooting has every warning and error of the log, and every
 * exception.
 */
class TroubleshootingPageTests {

	private static final String TEXT = "\"(?:[^\"\\\\]|\\\\.)*\"";

	private static final Pattern LOGGED = Pattern.compile(
			"logger(?:\\s*\\.(?:warn|error)\\(|::(?:warn|error),)[\\s(]*(?:PrintableText\\s*\\.of)?[\\s(]*(%1$s(?:\\s*\\+\\s*%1$s)*)?"
				.formatted(TEXT));

	private static final Pattern TYPE = Pattern
		.compile("(?m)^(?:public |abstract |final )*(?:class|record|enum|interface) (\\w+)");

	private static final Pattern EXCEPTION = Pattern.compile("public (?:final |sealed )?class (\\w+Exception)\\b");

	private static final Pattern PLACEHOLDER = Pattern.compile("'?%(?:\\d\\$)?[a-z]'?");

	private static final Pattern QUOTE = Pattern.compile("`([^`]+)`");

	private static final String VARIES = "…";

	private static final int FEWEST_WORDS = 3;

	/**
	 * The types that log a text which they do not have as a literal: it is quoted on the
	 * page, and this test does not see it.
	 */
	private static final Set<String> TEXT_IS_MADE_ELSEWHERE = Set.of("AbstractStartupCheck", "EventLoops",
			"FenceFailures", "HoldLog", "LeaseThreads", "UnproxiedBeans");

	private final String page = Page.of("../../docs/troubleshooting.md").text();

	@Test
	void quotesEveryWarningAndErrorOfTheLog() {
		assertThat(sources().flatMap(TroubleshootingPageTests::messages)).hasSizeGreaterThan(90)
			.anyMatch((message) -> message.startsWith("Redis may evict held locks"))
			.anyMatch((message) -> message.startsWith("The application … takes the lock"))
			.filteredOn((message) -> quotes().noneMatch(message::contains))
			.isEmpty();
	}

	@Test
	void everyOtherTextIsKnown() {
		assertThat(
				sources().filter((source) -> LOGGED.matcher(source).results().anyMatch((call) -> call.group(1) == null))
					.map(TroubleshootingPageTests::typeOf))
			.containsExactlyInAnyOrderElementsOf(TEXT_IS_MADE_ELSEWHERE);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			logger.warn("Lock '%s' is open".formatted(id)) | Lock … is open
			logger.error(() -> x, "Lock") |
			logger::warn, ("Lock %s " + "is open") | Lock … is open
			logger.warn(PrintableText .of(("The application '%s' takes" + " it")) | The application … takes it
			""")
	void messagesAreFound(String source, String message) {
		assertThat(messages(source)).isEqualTo((message != null) ? List.of(message) : List.of());
	}

	@Test
	void hasEveryExceptionAboutLocks() {
		assertThat(sources().flatMap((source) -> EXCEPTION.matcher(source).results()).map((type) -> type.group(1)))
			.contains("LockLostException")
			.allMatch((type) -> this.page.contains("`" + type + "`"));
	}

	/** Return the texts of the calls of loggers, with an ellipsis for what varies. */
	private static Stream<String> messages(String source) {
		return LOGGED.matcher(source)
			.results()
			.filter((call) -> call.group(1) != null)
			.map((call) -> call.group(1).replaceAll("\"\\s*\\+\\s*\"", ""))
			.map((literal) -> withEllipses(literal.substring(1, literal.length() - 1)));
	}

	private static String withEllipses(String text) {
		return PLACEHOLDER.matcher(text).replaceAll(VARIES);
	}

	/** Return what the page quotes of the log: two words are too few to be found by. */
	private Stream<String> quotes() {
		String log = this.page.substring(this.page.indexOf("## Every warning and error in the log"),
				this.page.indexOf("## Every state of health"));
		return QUOTE.matcher(log)
			.results()
			.map((quote) -> quote.group(1))
			.filter((quote) -> quote.split(" ").length >= FEWEST_WORDS);
	}

	private static String typeOf(String source) {
		Matcher type = TYPE.matcher(source);
		assertThat(type.find()).isTrue();
		return type.group(1);
	}

	/** Neither the sample nor a module of tests logs in an application. */
	private static boolean isForApplications(Path module) {
		return !module.startsWith(Path.of("..", "..", "tests")) && !module.endsWith("sample-app");
	}

	private static Stream<String> sources() {
		return Modules.in(Path.of("..", ".."))
			.filter(TroubleshootingPageTests::isForApplications)
			.map((module) -> module.resolve(Path.of("src", "main", "java")))
			.filter(Files::isDirectory)
			.flatMap(MainSources::files)
			.map((file) -> {
				try {
					return Files.readString(file);
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
	}

}

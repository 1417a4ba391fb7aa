package io.interlock.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page for troubleshooting has every warning and error of the log, and every
 * exception.
 */
class TroubleshootingPageTests {

	private static final Pattern LOGGED = Pattern.compile(
			"logger(?:\\s*\\.(?:warn|error)\\(|::(?:warn|error),)[\\s(]*(?:PrintableText\\s*\\.of\\()?\"((?:[^\"\\\\]|\\\\.)*)\"");

	private static final Pattern EXCEPTION = Pattern.compile("public (?:final |sealed )?class (\\w+Exception)\\b");

	private static final Pattern PLACEHOLDER = Pattern.compile("'?%(?:\\d\\$)?[a-z]'?");

	private static final int SHORTEST = 12;

	private static final int LONGEST = 28;

	private final String page = Page.of("../../docs/troubleshooting.md").text();

	@Test
	void hasEveryWarningAndErrorOfTheLog() {
		List<String> messages = sources().flatMap((source) -> LOGGED.matcher(source).results())
			.map((message) -> message.group(1))
			.toList();
		assertThat(messages).hasSizeGreaterThan(60)
			.anyMatch((message) -> message.startsWith("Redis may evict held locks"))
			.filteredOn((message) -> !parts(message).isEmpty())
			.allSatisfy((message) -> assertThat(parts(message)).as(message).anyMatch(this.page::contains));
	}

	@Test
	void hasEveryExceptionAboutLocks() {
		assertThat(sources().flatMap((source) -> EXCEPTION.matcher(source).results()).map((type) -> type.group(1)))
			.contains("LockLostException")
			.allMatch((type) -> this.page.contains("`" + type + "`"));
	}

	/**
	 * Return the parts of a message that do not vary and are long enough to be searched
	 * for, cut to a readable length.
	 */
	private static List<String> parts(String message) {
		return Arrays.stream(PLACEHOLDER.split(message))
			.map(String::strip)
			.filter((part) -> part.length() >= SHORTEST)
			.map((part) -> (part.length() > LONGEST) ? part.substring(0, part.lastIndexOf(' ', LONGEST)) : part)
			.toList();
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

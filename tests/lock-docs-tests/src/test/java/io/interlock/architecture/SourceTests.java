package io.interlock.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What source files of the published modules look like.
 */
class SourceTests {

	private static final int MAX_CODE_LINES = 250;

	static final Pattern PUBLIC_TYPE = Pattern.compile("^public (?:\\w+ )*(?:class|interface|record|enum|@interface) ",
			Pattern.MULTILINE);

	private static final Pattern DOCUMENTED_PACKAGE = Pattern.compile("\\A/\\*\\*(?:\\n \\*)? [A-Z].*?\\.(?:\\n)? \\*/",
			Pattern.DOTALL);

	@Test
	void typesAreSmall() {
		assertThat(mainSources()).filteredOn((file) -> !file.toString().endsWith("Properties.java"))
			.filteredOn((file) -> codeLines(file) > MAX_CODE_LINES)
			.as("types with more than %d lines of code", MAX_CODE_LINES)
			.isEmpty();
	}

	@Test
	void publicTypesSaySinceWhen() {
		assertThat(mainSources()).filteredOn((file) -> PUBLIC_TYPE.matcher(text(file)).find())
			.filteredOn((file) -> !text(file).contains("\n * @since "))
			.as("public types without @since")
			.isEmpty();
	}

	@Test
	void packagesAreDescribed() {
		assertThat(mainSources()).filteredOn((file) -> file.endsWith("package-info.java"))
			.filteredOn((file) -> !DOCUMENTED_PACKAGE.matcher(text(file)).find())
			.as("packages without a sentence")
			.isEmpty();
	}

	static long codeLines(Path source) {
		return CodeLines.in(text(source));
	}

	private static List<Path> mainSources() {
		Stream<Path> others = Stream
			.of("lock-console", "lock-test", "providers/lock-jdbc", "providers/lock-redis", "bridges/lock-shedlock",
					"bridges/lock-spring-integration")
			.map((module) -> Path.of("..", "..", module, "src", "main", "java"))
			.flatMap(MainSources::files);
		return Stream.concat(MainSources.files(), others).toList();
	}

	static String text(Path source) {
		try {
			return Files.readString(source);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

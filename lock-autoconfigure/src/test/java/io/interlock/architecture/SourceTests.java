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
 * What source files look like.
 */
class SourceTests {

	private static final int MAX_CODE_LINES = 150;

	private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|^\\s*//[^\\n]*",
			Pattern.DOTALL | Pattern.MULTILINE);

	private static final Pattern PUBLIC_TYPE = Pattern
		.compile("^public (?:\\w+ )*(?:class|interface|record|enum|@interface) ", Pattern.MULTILINE);

	private static final Pattern DOCUMENTED_PACKAGE = Pattern.compile("\\A/\\*\\*\\n \\* [A-Z].*?\\.\\n \\*/",
			Pattern.DOTALL);

	@Test
	void typesAreSmall() {
		List<Path> types = mainSources().filter((file) -> !file.toString().endsWith("Properties.java")).toList();
		assertThat(types).isNotEmpty()
			.allSatisfy((file) -> assertThat(codeLines(file)).as("code lines of %s", file)
				.isLessThanOrEqualTo(MAX_CODE_LINES));
	}

	@Test
	void publicTypesSaySinceWhen() {
		List<Path> types = mainSources().filter((file) -> PUBLIC_TYPE.matcher(text(file)).find()).toList();
		assertThat(types).isNotEmpty()
			.allSatisfy((file) -> assertThat(text(file)).as("%s", file).contains("\n * @since "));
	}

	@Test
	void packagesAreDescribed() {
		List<Path> packages = mainSources().filter((file) -> file.endsWith("package-info.java")).toList();
		assertThat(packages).isNotEmpty()
			.allSatisfy((file) -> assertThat(text(file)).as("%s", file).containsPattern(DOCUMENTED_PACKAGE));
	}

	private static long codeLines(Path source) {
		return COMMENT.matcher(text(source))
			.replaceAll("")
			.lines()
			.map(String::strip)
			.filter((line) -> !line.isEmpty() && !line.startsWith("import ") && !line.startsWith("package "))
			.count();
	}

	private static Stream<Path> mainSources() {
		try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
			return files.filter((file) -> file.toString().endsWith(".java")).sorted().toList().stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String text(Path source) {
		try {
			return Files.readString(source);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

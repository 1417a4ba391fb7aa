package io.interlock.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tests that the page on guarantees names exist, so that no promise rests on a test
 * that was renamed or removed.
 */
class GuaranteesPageTests {

	private static final Path DOCS = Path.of("..", "docs");

	private static final Path FAULTS = Path.of("..", "lock-faults");

	private static final Pattern LINK = Pattern.compile("]\\(([^)#]+)\\)");

	private static final Pattern LINKED_TEST = Pattern.compile("\\[`(\\w+)#(\\w+)`]\\(([^)]+)\\)");

	private static final Pattern NAMED_TEST = Pattern.compile("`\\w+#\\w+`");

	@Test
	void linkedFilesExist() throws IOException {
		assertThat(find(LINK)).extracting((link) -> target(link.group(1)))
			.filteredOn(GuaranteesPageTests::isToBeThere)
			.isNotEmpty()
			.allSatisfy((file) -> assertThat(file).isRegularFile());
	}

	@Test
	void linkedTestsExist() throws IOException {
		assertThat(find(LINKED_TEST)).filteredOn((test) -> isToBeThere(target(test.group(3))))
			.isNotEmpty()
			.allSatisfy((test) -> {
				Path file = target(test.group(3));
				assertThat(file.getFileName()).hasToString(test.group(1) + ".java");
				assertThat(hasTest(Files.readString(file), test.group(2))).as(test.group()).isTrue();
			});
	}

	@Test
	void everyTestThatIsNamedIsLinked() throws IOException {
		// The first one explains how tests are named.
		assertThat(find(NAMED_TEST)).extracting(MatchResult::group)
			.startsWith("`Class#method`")
			.hasSize(find(LINKED_TEST).size() + 1);
	}

	private static boolean hasTest(String source, String method) {
		return Pattern.compile("Test\\b[^;]*\\bvoid " + method + "\\(").matcher(source).find();
	}

	private static List<MatchResult> find(Pattern pattern) throws IOException {
		return pattern.matcher(Files.readString(DOCS.resolve("guarantees.md"))).results().toList();
	}

	private static Path target(String link) {
		return DOCS.resolve(link).normalize();
	}

	private static boolean isToBeThere(Path file) {
		return Files.isDirectory(FAULTS) || !file.startsWith(FAULTS);
	}

}

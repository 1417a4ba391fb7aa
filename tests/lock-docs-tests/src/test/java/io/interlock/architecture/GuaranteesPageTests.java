package io.interlock.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tests that the pages on guarantees and providers name exist, so that no promise
 * rests on a test that was renamed or removed.
 */
class GuaranteesPageTests {

	private static final Path DOCS = Path.of("..", "..", "docs");

	private static final Path FAULTS = Path.of("..", "..", "tests", "lock-faults");

	private static final Pattern LINK = Pattern.compile("]\\(([^)#]+)\\)");

	private static final Pattern LINKED_TEST = Pattern.compile("\\[`(\\w+)#(\\w+)`]\\(([^)]+)\\)");

	/**
	 * A row of the table of faults: fault, store, what the next holder and the old one
	 * see with the tests that show it.
	 */
	private static final Pattern FAULT_ROW = Pattern
		.compile("(?m)^\\| ([^|]+) \\| (ZooKeeper|PostgreSQL|Redis|memory) \\| (.+) \\|$");

	private static final Pattern NAMED_TEST = Pattern.compile("`\\w+#\\w+`");

	@Test
	void promisesAreShort() throws IOException {
		assertThat(Files.size(DOCS.resolve("guarantees.md"))).isLessThanOrEqualTo(12 * 1024);
	}

	@ParameterizedTest
	@ValueSource(strings = { "guarantees.md", "internals/guarantees-appendix.md", "providers.md" })
	void linkedFilesExist(String page) throws IOException {
		assertThat(find(LINK, page)).extracting((link) -> target(page, link.group(1)))
			.filteredOn(GuaranteesPageTests::isToBeThere)
			.isNotEmpty()
			.allSatisfy((file) -> assertThat(file).isRegularFile());
	}

	@ParameterizedTest
	@ValueSource(strings = { "guarantees.md", "internals/guarantees-appendix.md" })
	void linkedTestsExist(String page) throws IOException {
		assertThat(find(LINKED_TEST, page)).filteredOn((test) -> isToBeThere(target(page, test.group(3))))
			.isNotEmpty()
			.allSatisfy((test) -> {
				Path file = target(page, test.group(3));
				assertThat(file.getFileName()).hasToString(test.group(1) + ".java");
				assertThat(hasTest(Files.readString(file), test.group(2))).as(test.group()).isTrue();
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "guarantees.md", "internals/guarantees-appendix.md", "providers.md" })
	void everyTestThatIsNamedIsLinked(String page) throws IOException {
		assertThat(find(NAMED_TEST, page)).hasSameSizeAs(find(LINKED_TEST, page));
	}

	@ParameterizedTest
	@ValueSource(strings = { "ZooKeeper", "PostgreSQL", "Redis", "memory" })
	void eachFaultIsShownOnEachStore(String store) throws IOException {
		List<MatchResult> rows = find(FAULT_ROW, "internals/guarantees-appendix.md").stream()
			.filter((row) -> row.group(2).equals(store))
			.toList();
		assertThat(rows).extracting((row) -> row.group(1))
			.contains("`kill -9` of a holder", "`SIGSTOP` of a holder", "Stop of the store, and start with its data",
					"The store stays silent");
		assertThat(rows)
			.allSatisfy((row) -> assertThat(row.group(3)).containsPattern(LINKED_TEST.pattern() + "|Not tested"));
	}

	private static boolean hasTest(String source, String method) {
		return Pattern.compile("Test\\b[^;]*\\bvoid " + method + "\\(").matcher(source).find();
	}

	private static List<MatchResult> find(Pattern pattern, String page) throws IOException {
		return pattern.matcher(Files.readString(DOCS.resolve(page))).results().toList();
	}

	private static Path target(String page, String link) {
		return DOCS.resolve(page).resolveSibling(link).normalize();
	}

	private static boolean isToBeThere(Path file) {
		return Files.isDirectory(FAULTS) || !file.startsWith(FAULTS);
	}

}

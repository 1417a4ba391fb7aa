package io.interlock.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the pages on testing and recipes, and their sections in the README, against code
 * that runs.
 */
class ExamplesOfPagesTests {

	private static final Path EXAMPLES = Path.of("src", "test", "java", "io", "interlock", "test", "example");

	private static final Path RECIPES = Path.of("src", "test", "java", "io", "interlock", "test", "recipe");

	/** Recipes with more than locks, such as Kafka. */
	private static final Path RECIPES_WITH_OTHERS = Path.of("..", "tests", "lock-docs-tests", "src", "test", "java",
			"io", "interlock", "page", "recipe");

	private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

	@Test
	void examplesOfThePageAreThoseThatRun() throws IOException {
		assertRun(Files.readString(Path.of("..", "docs", "testing.md")), 10, EXAMPLES);
	}

	@Test
	void exampleOfTheReadmeIsOneThatRuns() throws IOException {
		assertRun(section("## Testing"), 4, EXAMPLES);
	}

	@Test
	void recipesOfTheReadmeAreThoseThatRun() throws IOException {
		assertRun(section("## Five recipes"), 6, RECIPES);
	}

	@Test
	void recipesOfThePageAreThoseThatRun() throws IOException {
		assertRun(Files.readString(Path.of("..", "docs", "recipes.md")), 26, RECIPES, RECIPES_WITH_OTHERS);
	}

	@ParameterizedTest
	@ValueSource(classes = { TestLocks.class, TestLocksAssert.class })
	void pageNamesEveryMethod(Class<?> type) throws IOException {
		String page = Files.readString(Path.of("..", "docs", "testing.md"));
		assertThat(Stream.of(type.getDeclaredMethods())
			.filter((method) -> Modifier.isPublic(method.getModifiers()))
			.map(Method::getName)
			.distinct()).allSatisfy((name) -> assertThat(page).contains(name + "("));
	}

	private static String section(String heading) throws IOException {
		String readme = Files.readString(Path.of("..", "README.md"));
		int begin = readme.indexOf("\n" + heading + "\n");
		return readme.substring(begin, readme.indexOf("\n## ", begin + 1));
	}

	private static void assertRun(String page, int paragraphs, Path... directories) {
		String examples = normalized(
				Stream.of(directories).map(ExamplesOfPagesTests::sources).collect(Collectors.joining("\n")));
		List<String> found = BLOCK.matcher(page)
			.results()
			.map((block) -> block.group(1))
			.flatMap((block) -> Stream.of(block.split("\n\n")))
			.toList();
		assertThat(found).hasSizeGreaterThanOrEqualTo(paragraphs)
			.allSatisfy((paragraph) -> assertThat(examples).contains(normalized(paragraph)));
	}

	private static String sources(Path directory) {
		try (Stream<Path> files = Files.list(directory)) {
			return files.map(ExamplesOfPagesTests::text).collect(Collectors.joining("\n"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String text(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String normalized(String source) {
		return source.lines().map(String::strip).collect(Collectors.joining("\n"));
	}

}

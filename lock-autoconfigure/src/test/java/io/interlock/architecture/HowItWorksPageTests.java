package io.interlock.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page that follows a call names types that exist, and few enough to be read at once.
 */
class HowItWorksPageTests {

	private static final int MAX_TYPES = 25;

	private static final Pattern PATH = Pattern.compile("<!-- path -->(.*)<!-- /path -->", Pattern.DOTALL);

	private static final Pattern STEP = Pattern.compile("(?m)^\\d+\\. `(\\w+)`");

	@Test
	void pathNamesTypesThatExist() throws IOException {
		Matcher path = PATH.matcher(Files.readString(Path.of("..", "docs", "how-it-works.md")));
		assertThat(path.find()).isTrue();
		List<String> steps = STEP.matcher(path.group(1)).results().map((step) -> step.group(1)).toList();
		assertThat(steps).startsWith("DistributedLock").hasSizeBetween(2, MAX_TYPES).isSubsetOf(types());
	}

	private static Set<String> types() throws IOException {
		try (Stream<Path> files = Files.walk(Path.of("src", "main", "java"))) {
			return files.map((file) -> file.getFileName().toString())
				.filter((name) -> name.endsWith(".java"))
				.map((name) -> name.substring(0, name.length() - ".java".length()))
				.collect(Collectors.toSet());
		}
	}

}

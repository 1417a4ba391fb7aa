package io.interlock.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sizes that may fall and never rise. With {@code -Dinterlock.docs.write=true}, those
 * that have fallen are written to the file that the build compares them with.
 */
class RatchetTests {

	private static final Path FILE = Path.of("..", "..", "build", "ratchets.properties");

	private static final Pattern STEP = Pattern.compile("(?m)^\\d+\\. `\\w+`");

	private static final Pattern BESIDE_PATH = Pattern
		.compile("(?m)^\\| (?:is behind an interface of the path|belongs to the way back) \\|(.*)\\|$");

	private static final Pattern NAME = Pattern.compile("`\\w+`");

	@Test
	void noSizeHasRisen() throws IOException {
		Map<String, Long> limits = limits();
		Map<String, Long> sizes = sizes();
		if (Boolean.getBoolean("interlock.docs.write")) {
			sizes.replaceAll((name, size) -> Math.min(size, limits.getOrDefault(name, size)));
			write(sizes);
		}
		assertThat(sizes).as("sizes. One that has fallen is written with -Dinterlock.docs.write=true")
			.isEqualTo(limits());
	}

	@Test
	void pagesTellTheLengthOfTheWalk() {
		assertThat(List.of("how-it-works", "architecture"))
			.allSatisfy((page) -> assertThat(Page.of("../../docs/internals/%s.md".formatted(page)).text())
				.contains(walk() + " in all"));
	}

	private static Map<String, Long> sizes() {
		Map<String, Long> sizes = new TreeMap<>();
		for (String module : MainSources.MODULES) {
			sizes.put("lines." + module, MainSources.files(module).mapToLong(RatchetTests::lines).sum());
			sizes.put("types." + module, types(module).count());
		}
		sizes.put("largest-type", MainSources.files().mapToLong(SourceTests::codeLines).max().orElseThrow());
		sizes.put("public-types",
				MainSources.files()
					.filter((file) -> !file.toString().contains("/internal/"))
					.filter((file) -> SourceTests.PUBLIC_TYPE.matcher(SourceTests.text(file)).find())
					.count());
		sizes.put("walk", walk());
		return sizes;
	}

	private static Stream<Path> types(String module) {
		return MainSources.files(module).filter((file) -> !file.endsWith("package-info.java"));
	}

	/**
	 * Return how many types a reader opens from the annotation to the node and back.
	 */
	private static long walk() {
		String page = Page.of("../../docs/internals/how-it-works.md").text();
		return STEP.matcher(page).results().count()
				+ BESIDE_PATH.matcher(page).results().flatMap((row) -> NAME.matcher(row.group(1)).results()).count();
	}

	private static long lines(Path file) {
		return SourceTests.text(file).lines().count();
	}

	private static Map<String, Long> limits() throws IOException {
		Properties limits = new Properties();
		if (Files.exists(FILE)) {
			limits.load(Files.newBufferedReader(FILE));
		}
		return limits.stringPropertyNames()
			.stream()
			.collect(Collectors.toMap((name) -> name, (name) -> Long.valueOf(limits.getProperty(name)),
					(one, other) -> one, TreeMap::new));
	}

	private static void write(Map<String, Long> sizes) throws IOException {
		String head = "# Sizes that may fall and never rise (RatchetTests).\n";
		Files.writeString(FILE,
				sizes.entrySet()
					.stream()
					.map((size) -> size.getKey() + "=" + size.getValue() + "\n")
					.collect(Collectors.joining("", head, "")));
	}

}

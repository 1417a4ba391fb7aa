package io.interlock.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.util.HtmlUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code that the live page shows is the code that runs.
 */
class PageCodeTests {

	private static final Pattern SOURCE = Pattern.compile("<pre class=\"source\">(.*?)</pre>", Pattern.DOTALL);

	private static final Pattern LINE = Pattern.compile("'((?:@|LockRequest)[^']+)'");

	private static final Pattern TAG = Pattern.compile("<[^>]+>");

	@Test
	void linesOfThePageAreLinesOfTheCode() throws IOException {
		String page = Files.readString(Path.of("src/main/resources/static/index.html"));
		List<String> lines = SOURCE.matcher(page)
			.results()
			.flatMap((result) -> TAG.matcher(result.group(1)).replaceAll("").lines())
			.map(HtmlUtils::htmlUnescape)
			.toList();
		assertThat(lines).hasSize(9);
		assertThat(Stream
			.of("java/io/interlock/sample/event/BoxOffice.java", "java/io/interlock/sample/event/Events.java",
					"resources/application.yaml")
			.flatMap(PageCodeTests::code)).containsAll(lines);
	}

	@Test
	void linesBesideThePicturesAreInTheCode() throws IOException {
		List<String> lines = LINE.matcher(Files.readString(Path.of("src/main/resources/static/js/code.js")))
			.results()
			.map((result) -> result.group(1))
			.toList();
		assertThat(lines).hasSize(7);
		assertThat(lines).allSatisfy((line) -> assertThat(sources()).anyMatch((source) -> source.contains(line)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "booked twice", "oversold by seat", "seat oversold", "'seat')} oversold",
			"seat sold twice", "too many" })
	void oversoldIsTicketsWithoutASeatAndNothingElse(String other) throws IOException {
		assertThat(page()).noneMatch((file) -> file.contains(other));
	}

	@Test
	void pageHasNoDashForAFigureThatIsNotThere() throws IOException {
		assertThat(page()).noneMatch((file) -> file.contains("–"));
	}

	private static List<String> page() throws IOException {
		try (Stream<Path> files = Files.walk(Path.of("src/main/resources/static"))) {
			List<String> texts = new ArrayList<>();
			for (Path file : files.filter((path) -> path.toString().matches(".*\\.(html|js)")).toList()) {
				texts.add(Files.readString(file));
			}
			assertThat(texts).hasSizeGreaterThan(10);
			return texts;
		}
	}

	private static List<String> sources() throws IOException {
		try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
			List<String> sources = new ArrayList<>();
			for (Path file : files.filter((path) -> path.toString().endsWith(".java")).toList()) {
				sources.add(Files.readString(file).replaceAll("\\n\\s+\\.", "."));
			}
			return sources;
		}
	}

	private static Stream<String> code(String file) {
		try {
			return Files.readString(Path.of("src/main", file)).lines().map(String::strip);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

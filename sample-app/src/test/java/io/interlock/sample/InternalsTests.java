package io.interlock.sample;

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
 * The sample shows what users may use: nothing below a package named {@code internal}.
 */
class InternalsTests {

	private static final Pattern INTERNAL_PACKAGE = Pattern.compile("io\\.interlock\\.([a-z.]+\\.)?internal\\b");

	@Test
	void sourcesDoNotNameInternals() throws IOException {
		try (Stream<Path> files = Files.walk(Path.of("src"))) {
			List<Path> sources = files.filter((file) -> file.toString().endsWith(".java")).toList();
			assertThat(sources).isNotEmpty()
				.allSatisfy((file) -> assertThat(text(file)).doesNotContainPattern(INTERNAL_PACKAGE));
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

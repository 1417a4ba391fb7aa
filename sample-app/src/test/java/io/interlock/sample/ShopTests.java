package io.interlock.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The shop is what a reader learns from. It is small, and does not know the show.
 */
class ShopTests {

	private static final Path SAMPLE = Path.of("src/main/java/io/interlock/sample");

	private static final int MOST_TYPES = 25;

	@Test
	void isSmall() throws IOException {
		assertThat(shop()).hasSizeBetween(15, MOST_TYPES);
	}

	@Test
	void doesNotKnowTheShow() throws IOException {
		assertThat(shop()).allSatisfy((source) -> assertThat(text(source)).doesNotContain("io.interlock.sample.show"));
	}

	private static List<Path> shop() throws IOException {
		try (Stream<Path> files = Stream.of(SAMPLE, SAMPLE.resolve("event"), SAMPLE.resolve("settlement"))
			.flatMap(ShopTests::list)) {
			return files.filter((file) -> file.toString().endsWith(".java"))
				.filter((file) -> !file.endsWith("package-info.java"))
				.toList();
		}
	}

	private static Stream<Path> list(Path directory) {
		try {
			return Files.list(directory);
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

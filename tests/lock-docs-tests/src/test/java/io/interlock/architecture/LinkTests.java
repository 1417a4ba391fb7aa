package io.interlock.architecture;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Links of the documentation lead to files and headings that exist.
 */
class LinkTests {

	private static final Pattern EXTERNAL = Pattern.compile("^(https?|mailto):.*");

	private static final Path FAULTS = Path.of("..", "..", "tests", "lock-faults");

	@ParameterizedTest
	@MethodSource("pages")
	void linksResolve(Page page) {
		assertThat(page.links()).filteredOn((link) -> !EXTERNAL.matcher(link).matches())
			.filteredOn((link) -> !resolves(page, link))
			.as("dead links")
			.isEmpty();
	}

	@Test
	void linksAreFound() {
		assertThat(Page.of("../../README.md").links()).contains("docs/images/live.webp", "docs/images/live-dark.webp",
				"docs/choosing.md", "#quick-start", "https://github.com/lukas-krecan/ShedLock");
	}

	private static Stream<Page> pages() {
		return Page.all().stream();
	}

	private static boolean resolves(Page page, String link) {
		int hash = link.indexOf('#');
		String file = (hash < 0) ? link : link.substring(0, hash);
		Path target = file.isEmpty() ? page.path() : page.path().resolveSibling(file).normalize();
		if (target.startsWith(FAULTS) && !Files.isDirectory(FAULTS)) {
			return true;
		}
		if (!Files.exists(target)) {
			return false;
		}
		return hash < 0 || Page.of(target.toString()).anchors().contains(link.substring(hash + 1));
	}

}

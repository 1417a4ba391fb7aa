package io.interlock.architecture;

import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The README is short, leads to every page for users, and has the two commands that
 * others take from it.
 */
class ReadmeTests {

	private static final int MAX_BYTES = 10_240;

	private static final Pattern TEST_COMMAND = command("test-command");

	private static final Pattern SAMPLE_COMMAND = command("sample");

	private final Page readme = Page.of("../../README.md");

	@Test
	void isShort() {
		assertThat(this.readme.bytes()).isLessThanOrEqualTo(MAX_BYTES);
	}

	@Test
	void hasEachCommandOnce() {
		assertThat(TEST_COMMAND.matcher(this.readme.text()).results()).hasSize(1);
		assertThat(SAMPLE_COMMAND.matcher(this.readme.text()).results()).hasSize(1);
	}

	@Test
	void leadsToEveryPage() {
		assertThat(Page.all()).filteredOn((page) -> page.path().getParent().endsWith("docs"))
			.isNotEmpty()
			.allSatisfy((page) -> assertThat(this.readme.text()).contains("](docs/" + page.path().getFileName()));
	}

	@Test
	void leadsToNoPageForMaintainers() {
		assertThat(this.readme.links()).noneMatch((link) -> link.startsWith("docs/internals"));
	}

	private static Pattern command(String marker) {
		return Pattern.compile("<!-- %1$s -->\\s+```bash\nmvn [^\n]+\n```\\s+<!-- /%1$s -->".formatted(marker));
	}

}

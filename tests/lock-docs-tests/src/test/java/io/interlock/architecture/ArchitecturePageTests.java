package io.interlock.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page on the architecture names every package, and types and modules that exist.
 */
class ArchitecturePageTests {

	private static final Pattern TYPE = Pattern.compile("`((?:[A-Z][a-z]+){2,})`");

	private static final Pattern MODULE = Pattern.compile("`((?:lock|sample)-[a-z-]+)`");

	private final String page = Page.of("../../docs/internals/architecture.md").text();

	@Test
	void namesEveryPackage() {
		String packages = this.page.substring(this.page.indexOf("## Packages"), this.page.indexOf("## One call"));
		assertThat(MainSources.files()
			.filter((file) -> file.endsWith("package-info.java"))
			.map((file) -> file.getParent().toString().replace('/', '.').replaceFirst(".*\\.io\\.interlock\\.?", ""))
			.filter((name) -> !name.startsWith("autoconfigure."))
			.map((name) -> name.isEmpty() ? "io.interlock" : name)).hasSizeGreaterThan(20)
			.allMatch((name) -> packages.contains("`" + name + "`"));
	}

	@Test
	void namesTypesThatExist() throws IOException {
		Set<String> types = typesOfAllModules();
		assertThat(found(TYPE)).hasSizeGreaterThan(20).allMatch(types::contains);
	}

	@Test
	void namesEveryModuleThatIsPublished() throws IOException {
		List<String> modules = Pattern.compile("<module>(?:[a-z]+/)?([a-z-]+)</module>")
			.matcher(Files.readString(Path.of("..", "..", "pom.xml")))
			.results()
			.map((module) -> module.group(1))
			.toList();
		assertThat(found(MODULE)).isNotEmpty().allMatch(modules::contains);
		assertThat(modules).filteredOn((module) -> !module.endsWith("-start") && !module.endsWith("-cloud-tests"))
			.allMatch((module) -> this.page.contains(module) || module.endsWith("-starter"));
	}

	private List<String> found(Pattern pattern) {
		return pattern.matcher(this.page).results().map((name) -> name.group(1)).distinct().toList();
	}

	private static Set<String> typesOfAllModules() throws IOException {
		try (Stream<Path> files = Files.walk(Path.of("..", ".."))) {
			return files.map((file) -> file.getFileName().toString())
				.filter((name) -> name.endsWith(".java"))
				.map((name) -> name.substring(0, name.length() - ".java".length()))
				.collect(Collectors.toSet());
		}
	}

}

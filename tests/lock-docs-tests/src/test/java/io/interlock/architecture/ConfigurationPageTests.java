package io.interlock.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.autoconfigure.zookeeper.ZooKeeperProperties;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables of the page on configuration are those of the code and the build.
 */
class ConfigurationPageTests {

	private static final Pattern PROPERTY_ROW = Pattern
		.compile("^\\| `(interlock\\.[^`<]+)` \\| (?:`([^`]*)`|\\*[^*]+\\*)? ?\\| (.+) \\|$", Pattern.MULTILINE);

	private static final Pattern OVERRIDE_ROW = Pattern.compile("^\\| `(interlock\\.[^`]*locks\\.<name>\\.[^`]+)` \\|",
			Pattern.MULTILINE);

	private static final Pattern VERSION_ROW = Pattern.compile("^\\| [^|]+ \\| `([\\d.]+)` \\| `([\\w.-]+)` \\|$",
			Pattern.MULTILINE);

	@Test
	void propertiesAreThoseOfTheMetadata() throws IOException {
		List<PropertyMetadata> properties = PropertyMetadata.all()
			.stream()
			.filter((property) -> property.name().startsWith("interlock."))
			.toList();
		assertThat(propertyRows()).isNotEmpty().containsExactlyInAnyOrderElementsOf(properties);
	}

	@Test
	void overridesOfOneLockAreThoseOfTheBoundTypes() throws IOException {
		List<String> overrides = OVERRIDE_ROW.matcher(page()).results().map((row) -> row.group(1)).toList();
		assertThat(Stream.concat(properties("interlock.locks.<name>.", InterlockProperties.Lock.class),
				properties("interlock.zookeeper.locks.<name>.", ZooKeeperProperties.Lock.class)))
			.containsExactlyInAnyOrderElementsOf(overrides);
	}

	@Test
	void namesEveryValueOfAClosedList() throws IOException {
		String values = page().substring(page().indexOf("### Values"), page().indexOf("## One lock"));
		Map<String, List<String>> expected = PropertyMetadata.values();
		assertThat(expected).hasSizeGreaterThan(8).allSatisfy((property, names) -> {
			String line = values.lines()
				.filter((text) -> text.startsWith("- `%s`:".formatted(property)))
				.findFirst()
				.orElse("");
			assertThat(names).allMatch((name) -> line.contains("`" + name + "`"));
		});
	}

	@Test
	void versionsAreThoseOfTheBuild() throws IOException {
		String pom = Files.readString(Path.of("../../pom.xml"));
		Matcher rows = VERSION_ROW.matcher(page());
		assertThat(rows.results().toList()).isNotEmpty()
			.allSatisfy((row) -> assertThat(pom).contains("<%2$s>%1$s</%2$s>".formatted(row.group(1), row.group(2))));
	}

	private static List<PropertyMetadata> propertyRows() throws IOException {
		return PROPERTY_ROW.matcher(page())
			.results()
			.map((row) -> new PropertyMetadata(row.group(1), (row.group(2) != null) ? row.group(2) : "", row.group(3)))
			.toList();
	}

	private static Stream<String> properties(String prefix, Class<? extends Record> type) {
		return Stream.of(type.getRecordComponents())
			.map((component) -> prefix + component.getName().replaceAll("[A-Z]", "-$0").toLowerCase(Locale.ROOT));
	}

	private static String page() throws IOException {
		return Files.readString(Path.of("../../docs/configuration.md"));
	}

}

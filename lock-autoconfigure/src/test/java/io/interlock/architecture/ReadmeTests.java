package io.interlock.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the README states is so.
 */
class ReadmeTests {

	private static final Pattern PROPERTY_ROW = Pattern
		.compile("^\\| `(interlock\\.[^`<]+)` \\| (?:`([^`]*)`|\\*[^*]+\\*)? ?\\| (.+) \\|$", Pattern.MULTILINE);

	private static final Pattern VERSION_ROW = Pattern.compile("^\\| [^|]+ \\| `([\\d.]+)` \\| `([\\w.-]+)` \\|$",
			Pattern.MULTILINE);

	@Test
	void propertiesAreThoseOfTheMetadata() throws IOException {
		Stream<PropertyMetadata> properties = PropertyMetadata.all()
			.stream()
			.filter((property) -> property.name().startsWith("interlock."));
		assertThat(propertyRows()).containsExactlyInAnyOrderElementsOf(properties.toList());
	}

	@Test
	void versionsAreThoseOfTheBuild() throws IOException {
		String pom = Files.readString(Path.of("../pom.xml"));
		Matcher rows = VERSION_ROW.matcher(readme());
		assertThat(rows.results().toList()).isNotEmpty()
			.allSatisfy((row) -> assertThat(pom).contains("<%2$s>%1$s</%2$s>".formatted(row.group(1), row.group(2))));
	}

	private static List<PropertyMetadata> propertyRows() throws IOException {
		return PROPERTY_ROW.matcher(readme())
			.results()
			.map((row) -> new PropertyMetadata(row.group(1), (row.group(2) != null) ? row.group(2) : "", row.group(3)))
			.toList();
	}

	private static String readme() throws IOException {
		return Files.readString(Path.of("../README.md"));
	}

}

package io.interlock.architecture;

import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page on operations has every meter.
 */
class OperationsPageTests {

	private static final Pattern METER = Pattern.compile("\"(interlock\\.[a-z.]+)\"");

	private static final Pattern ROW = Pattern.compile("(?m)^\\| `interlock\\..*$");

	private static final Pattern NAME = Pattern.compile("`(interlock\\.[a-z.]+)`");

	@Test
	void hasEveryMeterOnce() {
		List<String> meters = MainSources.files()
			.filter((file) -> file.getParent().endsWith("metrics"))
			.flatMap((file) -> METER.matcher(SourceTests.text(file)).results())
			.map((name) -> name.group(1))
			.distinct()
			.toList();
		String page = Page.of("../../docs/operations.md").text();
		assertThat(ROW.matcher(page.substring(page.indexOf("## Meters"), page.indexOf("## The endpoint")))
			.results()
			.flatMap((row) -> NAME.matcher(row.group().split("\\|")[1]).results())
			.map((name) -> name.group(1))).isNotEmpty().containsExactlyInAnyOrderElementsOf(meters);
	}

}

package io.interlock.architecture;

import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The figures of the page on choosing are those of the page on benchmarks.
 */
class ChoosingPageTests {

	private static final Pattern FIGURES = Pattern.compile("<!-- figures -->(.*)<!-- /figures -->", Pattern.DOTALL);

	private static final Pattern ROW = Pattern
		.compile("(?m)^\\| [^|]+ \\| `([\\w-]+)` \\| ([\\d.,]+) \\| ([\\d.,]*) ?\\|$");

	private static final Pattern STORES = Pattern.compile("<!-- stores -->(.*)<!-- /stores -->", Pattern.DOTALL);

	private static final Pattern STORES_ROW = Pattern.compile("(?m)^\\| ([A-Z][^|]+) \\| (.+) \\|$");

	/**
	 * The columns of the table of stores: the table of benchmarks, and its column.
	 */
	private static final List<Column> STORES_COLUMNS = List.of(new Column("stores", 1), new Column("stores", 2),
			new Column("stores", 3), new Column("stores", 4), new Column("stores-failover", 1),
			new Column("stores-failover", 3));

	private final String benchmarks = Page.of("../../docs/internals/benchmarks.md").text();

	@Test
	void figuresAreThoseOfTheBenchmarks() {
		Matcher figures = FIGURES.matcher(Page.of("../../docs/choosing.md").text());
		assertThat(figures.find()).isTrue();
		List<MatchResult> rows = ROW.matcher(figures.group(1)).results().toList();
		assertThat(rows).hasSizeGreaterThan(5).allSatisfy((row) -> {
			assertThat(figure("`%s`".formatted(row.group(1)))).isEqualTo(row.group(2));
			if (!row.group(3).isEmpty()) {
				assertThat(figure("`%s` \\|[^|]*\\| Curator, one mutex per key".formatted(row.group(1))))
					.isEqualTo(row.group(3));
			}
		});
	}

	@Test
	void figuresOfStoresAreThoseOfTheBenchmarks() {
		Matcher stores = STORES.matcher(Page.of("../../docs/choosing.md").text());
		assertThat(stores.find()).isTrue();
		List<MatchResult> rows = STORES_ROW.matcher(stores.group(1)).results().toList();
		assertThat(rows).extracting((row) -> row.group(1))
			.contains("Interlock on ZooKeeper", "Interlock on PostgreSQL", "ShedLock on PostgreSQL, polled",
					"Spring Integration on PostgreSQL", "Interlock on Redis", "Spring Integration on Redis",
					"Redisson on Redis");
		assertThat(rows).allSatisfy(
				(row) -> assertThat(row.group(2).split(" \\| ")).containsExactlyElementsOf(STORES_COLUMNS.stream()
					.map((column) -> cells(column.table(), row.group(1))[column.number()])
					.toList()));
	}

	private String figure(String cells) {
		Matcher row = Pattern.compile("(?m)^\\| %s \\| ([\\d.,]+) \\(".formatted(cells)).matcher(this.benchmarks);
		assertThat(row.find()).as("figure behind %s", cells).isTrue();
		return row.group(1);
	}

	/**
	 * Return the cells of the row of a contestant, the first one of which is empty.
	 */
	private String[] cells(String table, String contestant) {
		String section = Arrays.stream(this.benchmarks.split("(?m)^### "))
			.filter((part) -> part.lines().findFirst().orElseThrow().endsWith("(`%s`)".formatted(table)))
			.findFirst()
			.orElse("");
		Matcher row = Pattern.compile("(?m)^\\| %s (\\| [\\d.,]+ \\|.*)$".formatted(contestant)).matcher(section);
		assertThat(row.find()).as("figure of %s in %s", contestant, table).isTrue();
		return row.group(1).split("\\s*\\|\\s*");
	}

	/**
	 * A column of a table of benchmarks.
	 *
	 * @param table name at the end of its heading
	 * @param number number of the column, without that of the contestants
	 */
	private record Column(String table, int number) {

	}

}

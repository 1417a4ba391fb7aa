package io.interlock.transaction;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.interlock.LockRequest;
import io.interlock.fencing.JdbcFence;
import io.interlock.fencing.StaleLockException;
import io.interlock.template.LockTemplate;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Holds the page on transactions and fencing against the code: its examples compile, its
 * column works, and its table names the values that there are.
 */
class TransactionsAndFencingPageTests {

	private static final Path PAGE = Path.of("..", "docs", "transactions-and-fencing.md");

	private static final Path EXAMPLES = Path.of("src", "test", "java", "io", "interlock", "transaction",
			"TransactionsAndFencingExamples.java");

	@Test
	void examplesAreThoseThatCompile() throws IOException {
		String examples = normalized(Files.readString(EXAMPLES));
		assertThat(blocks("java")).hasSizeGreaterThan(3)
			.allSatisfy((block) -> assertThat(examples).contains(normalized(block)));
	}

	@Test
	void exampleSellsWithTheColumnOfThePage() throws IOException {
		InMemoryLocks locks = new InMemoryLocks();
		try (Database database = new Database(1)) {
			JdbcClient client = JdbcClient.create(database.pool());
			client.sql("ALTER TABLE seat ADD COLUMN sold_to VARCHAR(40)").update();
			blocks("sql").forEach((ddl) -> client.sql(ddl).update());
			database.insert(7);
			TransactionsAndFencingExamples.BoxOffice office = new TransactionsAndFencingExamples.BoxOffice(
					new JdbcFence(client));
			LockTemplate template = new LockTemplate(locks);
			LockRequest seat = LockRequest.exclusive("seat").withKey(7);
			template.executeWithoutResult(seat, (lock) -> office.sell(7, "Ann"));
			client.sql("UPDATE seat SET fence = fence + 100").update();
			assertThatExceptionOfType(StaleLockException.class)
				.isThrownBy(() -> template.executeWithoutResult(seat, (lock) -> office.sell(7, "Bob")));
			assertThat(client.sql("SELECT sold_to FROM seat").query(String.class).single()).isEqualTo("Ann");
		}
	}

	@Test
	void tableNamesEveryValueOfTheProperty() throws IOException {
		String page = Files.readString(PAGE);
		for (CommitVerification each : CommitVerification.values()) {
			assertThat(page).contains("| `" + each.name().toLowerCase(Locale.ROOT) + "`");
		}
	}

	private static List<String> blocks(String language) throws IOException {
		return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(PAGE))
			.results()
			.map((block) -> block.group(1))
			.toList();
	}

	private static String normalized(String source) {
		return source.lines().map(String::strip).collect(Collectors.joining("\n"));
	}

}

package io.interlock.benchmark.scenario;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Lines}.
 */
class LinesTests {

	@Test
	void clientsOfOneServerShareALine() {
		try (Lines lines = new Lines(Duration.ofMillis(5))) {
			String url = lines.to("jdbc:postgresql://127.0.0.1:5432/locks");
			assertThat(url).matches("jdbc:postgresql://127\\.0\\.0\\.1:\\d+/locks").doesNotContain(":5432");
			assertThat(lines.to("jdbc:postgresql://127.0.0.1:5432/locks")).isEqualTo(url);
		}
	}

	@Test
	void eachServerOfAnEnsembleHasALineOfItsOwn() {
		try (Lines lines = new Lines(Duration.ofMillis(5))) {
			String[] servers = lines.to("127.0.0.1:2181,127.0.0.1:2182").split(",");
			assertThat(servers).hasSize(2)
				.doesNotHaveDuplicates()
				.allMatch((server) -> server.startsWith("127.0.0.1:"));
		}
	}

}

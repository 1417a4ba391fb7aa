package io.interlock.sample;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Runs the jar of the sample with what was processed ahead of time. Part of the profile
 * {@code aot} only.
 */
class AheadOfTimeIT {

	private static final Pattern PORT = Pattern.compile("The box office is open: http://localhost:(\\d+)");

	private final List<String> output = new CopyOnWriteArrayList<>();

	private Process process;

	@AfterEach
	void end() throws InterruptedException {
		if (this.process != null) {
			this.process.destroy();
			if (!this.process.waitFor(20, TimeUnit.SECONDS)) {
				this.process.destroyForcibly();
			}
		}
	}

	@Test
	void locksWorkInAnApplicationThatWasProcessedAheadOfTime() throws IOException {
		start();
		await().atMost(Duration.ofMinutes(2))
			.until(() -> this.output.stream().anyMatch((line) -> line.contains("Started BoxOfficeApplication"))
					|| !this.process.isAlive());
		assertThat(this.output).anyMatch((line) -> line.contains("Starting AOT-processed BoxOfficeApplication"));
		RestTestClient client = RestTestClient.bindToServer().baseUrl("http://localhost:" + port()).build();
		client.post()
			.uri("/demo/rush")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"buyers\":60}")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.sold")
			.isEqualTo(60)
			.jsonPath("$.oversold")
			.isEqualTo(0)
			.jsonPath("$.doubleBooked")
			.isEqualTo(0);
		client.get()
			.uri("/actuator/prometheus")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(String.class)
			.value((scrape) -> assertThat(scrape)
				.containsPattern("interlock_acquire_seconds_count\\{.*outcome=\"acquired\".*} [1-9]"));
		client.get()
			.uri("/actuator/locks/cluster?busy=true")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.keptIn")
			.isEqualTo("/interlock");
	}

	private String port() {
		return this.output.stream()
			.map(PORT::matcher)
			.filter(Matcher::find)
			.map((matcher) -> matcher.group(1))
			.findFirst()
			.orElseThrow();
	}

	private void start() throws IOException {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		this.process = new ProcessBuilder(java, "-Dspring.aot.enabled=true", "-jar", System.getProperty("sample.jar"),
				"--server.port=0", "--sample.database.port=0", "--interlock.zookeeper.embedded.port=0")
			.redirectErrorStream(true)
			.start();
		Thread reader = new Thread(this::read, "output of the sample");
		reader.setDaemon(true);
		reader.start();
	}

	private void read() {
		try (BufferedReader lines = this.process.inputReader(StandardCharsets.UTF_8)) {
			lines.lines().forEach(this.output::add);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

package io.interlock.sample.deployment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * Starts the servers and the instances of the Compose file, where Docker Compose and the
 * images can be had.
 */
@Deep
class ComposeUpTests {

	private static final Path JAR = Path.of("target", "sample-app-0.1.0-SNAPSHOT.jar");

	@BeforeEach
	void up() throws Exception {
		assumeThat(run("docker", "compose", "version")).as("Docker Compose answers").isZero();
		assumeThat(JAR).as("the jar of the sample").exists();
		assumeThat(compose("pull", "zoo1", "box-office")).as("the images").isZero();
		assertThat(compose("up", "--detach", "--wait", "zoo1", "zoo2", "zoo3", "box-office", "box-office-2")).isZero();
	}

	@AfterEach
	void down() throws Exception {
		if (Files.exists(JAR) && run("docker", "compose", "version") == 0) {
			compose("down", "--volumes");
		}
	}

	@Test
	void instancesSellEverySeatOnce() {
		RestTestClient second = RestTestClient.bindToServer().baseUrl("http://localhost:8081").build();
		await().atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> second.get()
				.uri("/instances")
				.exchange()
				.expectBody()
				.jsonPath("$.instances.length()")
				.isEqualTo(2));
		second.post()
			.uri("/demo/rush")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"eventId\": 1, \"buyers\": 200, \"payment\": \"50ms\"}")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.sold")
			.isEqualTo(100)
			.jsonPath("$.oversold")
			.isEqualTo(0)
			.jsonPath("$.doubleBooked")
			.isEqualTo(0)
			.jsonPath("$.instances.length()")
			.isEqualTo(2);
	}

	private static int compose(String... arguments) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(List.of("docker", "compose", "--project-name", "interlock-test",
				"--file", ComposeTests.FILE.toString()));
		command.addAll(List.of(arguments));
		return run(command.toArray(String[]::new));
	}

	private static int run(String... command) throws IOException, InterruptedException {
		Process process;
		try {
			process = new ProcessBuilder(command).inheritIO().start();
		}
		catch (IOException ex) {
			return -1;
		}
		if (!process.waitFor(10, TimeUnit.MINUTES)) {
			process.destroyForcibly();
			return -1;
		}
		return process.exitValue();
	}

}

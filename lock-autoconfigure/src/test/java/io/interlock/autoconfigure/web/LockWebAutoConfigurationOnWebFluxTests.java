package io.interlock.autoconfigure.web;

import java.time.Duration;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.json.JsonCompareMode;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.reactive.config.EnableWebFlux;

/**
 * Tests for {@link LockWebAutoConfiguration} with WebFlux.
 */
class LockWebAutoConfigurationOnWebFluxTests {

	private final ReactiveWebApplicationContextRunner contextRunner = new ReactiveWebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockWebAutoConfiguration.class))
		.withUserConfiguration(WebFluxConfiguration.class, FailingController.class);

	@Test
	void lockNotAcquiredIsAConflict() {
		run(this.contextRunner,
				(client) -> client.get()
					.uri("/not-acquired")
					.exchange()
					.expectStatus()
					.isEqualTo(409)
					.expectHeader()
					.contentType(MediaType.APPLICATION_PROBLEM_JSON)
					.expectHeader()
					.valueEquals(HttpHeaders.RETRY_AFTER, "1")
					.expectBody()
					.json("""
							{
								"title": "Lock not acquired",
								"status": 409,
								"detail": "What the request needs is in use. Try again later.",
								"instance": "/not-acquired"
							}
							""", JsonCompareMode.STRICT));
	}

	@ParameterizedTest
	@CsvSource({ "/unavailable,503", "/lost,500", "/wrapped,409" })
	void statusSaysWhatHappened(String uri, int status) {
		run(this.contextRunner,
				(client) -> client.get()
					.uri(uri)
					.exchange()
					.expectStatus()
					.isEqualTo(status)
					.expectHeader()
					.contentType(MediaType.APPLICATION_PROBLEM_JSON));
	}

	@ParameterizedTest
	@CsvSource({ "/own-status,410", "/status-around,429" })
	void statusOfTheApplicationWins(String uri, int status) {
		run(this.contextRunner, (client) -> client.get().uri(uri).exchange().expectStatus().isEqualTo(status));
	}

	@Test
	void adviceOfTheApplicationWins() {
		run(this.contextRunner.withUserConfiguration(OwnAdvice.class),
				(client) -> client.get()
					.uri("/not-acquired")
					.exchange()
					.expectStatus()
					.isEqualTo(402)
					.expectBody(String.class)
					.isEqualTo("mine"));
	}

	private static void run(ReactiveWebApplicationContextRunner contextRunner, Consumer<WebTestClient> test) {
		contextRunner.run((context) -> {
			WebTestClient.Builder builder = WebTestClient.bindToApplicationContext(context).configureClient();
			test.accept(builder.responseTimeout(Duration.ofMinutes(1)).build());
		});
	}

	@EnableWebFlux
	static class WebFluxConfiguration {

	}

}

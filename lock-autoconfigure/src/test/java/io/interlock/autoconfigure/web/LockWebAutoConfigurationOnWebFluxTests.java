package io.interlock.autoconfigure.web;

import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.MessageSource;
import org.springframework.context.support.StaticMessageSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.json.JsonCompareMode;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockWebAutoConfiguration} with WebFlux.
 */
@ExtendWith(OutputCaptureExtension.class)
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
								"detail": "The resource is in use. Try again later.",
								"instance": "/not-acquired"
							}
							""", JsonCompareMode.STRICT));
	}

	@ParameterizedTest
	@CsvSource({ "/unavailable,503", "/lost,500", "/wrapped,409", "/interrupted,503", "/stale,409" })
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

	@Test
	void catchAllOfTheApplicationWinsAndIsNamed(CapturedOutput output) {
		run(this.contextRunner.withUserConfiguration(CatchAllAdvice.class),
				(client) -> client.get().uri("/not-acquired").exchange().expectStatus().isEqualTo(502));
		assertThat(output).contains("handles all exceptions: " + CatchAllAdvice.class.getName());
	}

	@Test
	void functionalEndpointsHaveTheSameAnswer() {
		run(this.contextRunner.withBean("route", RouterFunction.class,
				() -> RouterFunctions.route()
					.GET("/function", (request) -> Mono.error(FailingController.busy()))
					.build()),
				(client) -> client.get()
					.uri("/function")
					.exchange()
					.expectStatus()
					.isEqualTo(409)
					.expectHeader()
					.contentType(MediaType.APPLICATION_PROBLEM_JSON)
					.expectHeader()
					.valueEquals(HttpHeaders.RETRY_AFTER, "1")
					.expectBody()
					.jsonPath("$.title")
					.isEqualTo("Lock not acquired"));
	}

	@ParameterizedTest
	@CsvSource({ "/not-acquired,409", "/unavailable,503", "/lost,500", "/interrupted,503", "/stale,409", "/wrapped,409",
			"/own-status,410", "/status-around,429", "/other,500" })
	void functionalEndpointsThatThrowHaveTheAnswerOfControllers(String uri, int status) {
		FailingController controller = new FailingController();
		run(this.contextRunner.withBean("route", RouterFunction.class,
				() -> RouterFunctions.route().GET("/function/{name}", (request) -> {
					controller.fail(request.pathVariable("name"));
					return Mono.empty();
				}).build()),
				(client) -> client.get().uri("/function" + uri).exchange().expectStatus().isEqualTo(status));
	}

	@Test
	void adviceOfTheApplicationAnswersFunctionalEndpointsThatThrow() {
		run(this.contextRunner.withUserConfiguration(OwnAdvice.class)
			.withBean("route", RouterFunction.class, () -> RouterFunctions.route().GET("/function", (request) -> {
				throw FailingController.busy();
			}).build()),
				(client) -> client.get()
					.uri("/function")
					.exchange()
					.expectStatus()
					.isEqualTo(402)
					.expectBody(String.class)
					.isEqualTo("mine"));
	}

	@Test
	void otherExceptionsOfFunctionalEndpointsAreLeftAlone() {
		run(this.contextRunner.withUserConfiguration(CatchAllAdvice.class)
			.withBean("route", RouterFunction.class, () -> RouterFunctions.route().GET("/function", (request) -> {
				throw new IllegalStateException("none of ours");
			}).build()), (client) -> client.get().uri("/function").exchange().expectStatus().isEqualTo(500));
	}

	@Test
	void textsAreThoseOfTheMessageSource() {
		StaticMessageSource messages = new StaticMessageSource();
		messages.addMessage("problemDetail.title.io.interlock.LockNotAcquiredException", Locale.GERMAN, "Besetzt");
		run(this.contextRunner.withBean("messageSource", MessageSource.class, () -> messages),
				(client) -> client.get()
					.uri("/not-acquired")
					.header(HttpHeaders.ACCEPT_LANGUAGE, "de")
					.exchange()
					.expectBody()
					.jsonPath("$.title")
					.isEqualTo("Besetzt"));
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

package io.interlock.autoconfigure.web;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.MessageSource;
import org.springframework.context.support.StaticMessageSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.json.JsonCompareMode;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockWebAutoConfiguration} with Web MVC.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockWebAutoConfigurationTests {

	private final WebApplicationContextRunner contextRunner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DispatcherServletAutoConfiguration.class,
				WebMvcAutoConfiguration.class, JacksonAutoConfiguration.class,
				HttpMessageConvertersAutoConfiguration.class, LockWebAutoConfiguration.class))
		.withUserConfiguration(FailingController.class);

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

	@Test
	void lockServiceUnavailableIsUnavailable(CapturedOutput output) {
		run(this.contextRunner, (client) -> client.get()
			.uri("/unavailable")
			.exchange()
			.expectStatus()
			.isEqualTo(503)
			.expectHeader()
			.valueEquals(HttpHeaders.RETRY_AFTER, "1")
			.expectBody()
			.json("""
					{
						"title": "Lock service unavailable",
						"status": 503,
						"detail": "The request needs a lock, but the lock service is not available. Try again later.",
						"instance": "/unavailable"
					}
					""", JsonCompareMode.STRICT));
		assertThat(output).contains("no answer for /interlock/seats:secret-key");
	}

	@Test
	void lockLostIsAnErrorThatIsNotToBeTriedAgain(CapturedOutput output) {
		run(this.contextRunner, (client) -> client.get()
			.uri("/lost")
			.exchange()
			.expectStatus()
			.isEqualTo(500)
			.expectHeader()
			.doesNotExist(HttpHeaders.RETRY_AFTER)
			.expectBody()
			.json("""
					{
						"title": "Lock lost",
						"status": 500,
						"detail": "The request lost its lock while it ran. Check what it did before you send it again.",
						"instance": "/lost"
					}
					""", JsonCompareMode.STRICT));
		assertThat(output).contains("lost /interlock/seats:secret-key");
	}

	@Test
	void interruptedRequestIsUnavailable(CapturedOutput output) {
		run(this.contextRunner,
				(client) -> client.get()
					.uri("/interrupted")
					.exchange()
					.expectStatus()
					.isEqualTo(503)
					.expectHeader()
					.valueEquals(HttpHeaders.RETRY_AFTER, "1")
					.expectBody()
					.json("""
							{
								"title": "Request interrupted",
								"status": 503,
								"detail": "The request was interrupted while it waited for a lock. Try again later.",
								"instance": "/interrupted"
							}
							""", JsonCompareMode.STRICT));
		assertThat(output).contains("interrupted at /interlock/seats:secret-key");
	}

	@Test
	void staleWriteIsAConflict() {
		run(this.contextRunner,
				(client) -> client.get()
					.uri("/stale")
					.exchange()
					.expectStatus()
					.isEqualTo(409)
					.expectHeader()
					.valueEquals(HttpHeaders.RETRY_AFTER, "1")
					.expectBody()
					.json("""
							{
								"title": "Write refused",
								"status": 409,
								"detail": "A later request has written in the meantime, and this one wrote nothing. Try again later.",
								"instance": "/stale"
							}
							""",
							JsonCompareMode.STRICT));
	}

	@Test
	void textsAreThoseOfTheMessageSource() {
		StaticMessageSource messages = new StaticMessageSource();
		messages.addMessage("problemDetail.title.io.interlock.LockNotAcquiredException", Locale.GERMAN, "Besetzt");
		messages.addMessage("problemDetail.io.interlock.LockNotAcquiredException", Locale.GERMAN, "Bitte warten.");
		messages.addMessage("problemDetail.type.io.interlock.LockNotAcquiredException", Locale.GERMAN,
				"https://example.org/busy");
		run(this.contextRunner.withBean("messageSource", MessageSource.class, () -> messages), (client) -> {
			client.get()
				.uri("/not-acquired")
				.header(HttpHeaders.ACCEPT_LANGUAGE, "de")
				.exchange()
				.expectStatus()
				.isEqualTo(409)
				.expectBody()
				.json("""
						{
							"type": "https://example.org/busy",
							"title": "Besetzt",
							"status": 409,
							"detail": "Bitte warten.",
							"instance": "/not-acquired"
						}
						""", JsonCompareMode.STRICT);
			client.get()
				.uri("/wrapped")
				.header(HttpHeaders.ACCEPT_LANGUAGE, "de")
				.exchange()
				.expectBody()
				.jsonPath("$.title")
				.isEqualTo("Besetzt");
			client.get()
				.uri("/own-type")
				.header(HttpHeaders.ACCEPT_LANGUAGE, "de")
				.exchange()
				.expectBody()
				.jsonPath("$.title")
				.isEqualTo("Besetzt");
			client.get()
				.uri("/not-acquired")
				.header(HttpHeaders.ACCEPT_LANGUAGE, "fr")
				.exchange()
				.expectBody()
				.jsonPath("$.title")
				.isEqualTo("Lock not acquired");
		});
	}

	@Test
	void functionalEndpointsHaveTheSameAnswer() {
		run(this.contextRunner.withBean("route", RouterFunction.class,
				() -> RouterFunctions.route().GET("/function", (request) -> {
					throw FailingController.busy();
				}).build()),
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

	@Test
	void catchAllOfTheApplicationWinsAndIsNamed(CapturedOutput output) {
		run(this.contextRunner.withUserConfiguration(CatchAllAdvice.class),
				(client) -> client.get().uri("/not-acquired").exchange().expectStatus().isEqualTo(502));
		assertThat(output).contains("Exceptions about locks are not answered by Interlock, because an advice of the"
				+ " application handles all exceptions: " + CatchAllAdvice.class.getName());
	}

	@Test
	void comesBeforeACatchAllByProperty(CapturedOutput output) {
		run(this.contextRunner.withUserConfiguration(CatchAllAdvice.class)
			.withPropertyValues("interlock.web.order=100"),
				(client) -> client.get().uri("/not-acquired").exchange().expectStatus().isEqualTo(409));
		assertThat(output).doesNotContain("are not answered by Interlock");
	}

	@Test
	void adviceThatNamesExceptionsAboutLocksIsNotNamed(CapturedOutput output) {
		this.contextRunner.withUserConfiguration(OwnAdvice.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("are not answered by Interlock");
	}

	@Test
	void browsersGetTheSameAnswer() {
		run(this.contextRunner,
				(client) -> client.get()
					.uri("/not-acquired")
					.accept(MediaType.TEXT_HTML)
					.exchange()
					.expectStatus()
					.isEqualTo(409));
	}

	@Test
	void causeIsAnsweredLikeTheException() {
		run(this.contextRunner, (client) -> client.get().uri("/wrapped").exchange().expectStatus().isEqualTo(409));
	}

	@Test
	void otherExceptionsAboutLocksStayAsTheyAre() {
		run(this.contextRunner,
				(client) -> client.get()
					.uri("/other")
					.exchange()
					.expectStatus()
					.isEqualTo(500)
					.expectHeader()
					.doesNotExist(HttpHeaders.CONTENT_TYPE));
	}

	@Test
	void retryAfterIsAProperty() {
		run(this.contextRunner.withPropertyValues("interlock.web.retry-after=2500ms"), (client) -> {
			for (String path : List.of("/not-acquired", "/unavailable")) {
				client.get().uri(path).exchange().expectHeader().valueEquals(HttpHeaders.RETRY_AFTER, "3");
			}
		});
	}

	@Test
	void retryAfterOfZeroIsNotTold() {
		run(this.contextRunner.withPropertyValues("interlock.web.retry-after=0"),
				(client) -> client.get()
					.uri("/not-acquired")
					.exchange()
					.expectHeader()
					.doesNotExist(HttpHeaders.RETRY_AFTER));
	}

	@Test
	void negativeRetryAfterIsRefused() {
		this.contextRunner.withPropertyValues("interlock.web.retry-after=-1s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class,
						(ex) -> assertThat(ex.getName()).isEqualTo("interlock.web.retry-after")));
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
	void statusOfAnExceptionOfTheApplicationWins() {
		run(this.contextRunner, (client) -> client.get().uri("/own-status").exchange().expectStatus().isEqualTo(410));
	}

	@Test
	void statusAroundTheExceptionWins() {
		run(this.contextRunner,
				(client) -> client.get().uri("/status-around").exchange().expectStatus().isEqualTo(429));
	}

	@ParameterizedTest
	@ValueSource(strings = { "interlock.web.enabled=false", "interlock.enabled=false" })
	void isOffByProperty(String property) {
		this.contextRunner.withPropertyValues(property)
			.run((context) -> assertThat(context).doesNotHaveBean(LockExceptionAdvice.class));
	}

	@Test
	void backsOffOutsideOfWebApplications() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockWebAutoConfiguration.class))
			.run((context) -> assertThat(context).doesNotHaveBean(LockExceptionAdvice.class));
	}

	@Test
	void backsOffWithoutSpringWeb() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockWebAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader(RestControllerAdvice.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("interlockExceptionAdvice"));
	}

	private static void run(WebApplicationContextRunner contextRunner, Consumer<RestTestClient> test) {
		contextRunner.run((context) -> test
			.accept(RestTestClient.bindTo(MockMvcBuilders.webAppContextSetup(context).build()).build()));
	}

}

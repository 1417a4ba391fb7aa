package io.interlock.sample.web;

import java.time.Duration;

import io.interlock.LockException;
import io.interlock.LockId;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockServiceUnavailableException;
import io.interlock.autoconfigure.web.LockWebAutoConfiguration;
import io.interlock.fencing.StaleLockException;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.MessageSourceAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what clients of the box office read when a lock fails them.
 */
class LockProblemsTests {

	private static final LockId LOCK = new LockId("seats", "1");

	private static final Duration WAITED = Duration.ofMillis(1500);

	@Test
	void contentionIsAConflictThatMayBeTriedAgainSoon() {
		MvcTestResult answer = get(new LockNotAcquiredException("busy", LOCK, WAITED, null));
		assertThat(answer).hasStatus(HttpStatus.CONFLICT).hasHeader(HttpHeaders.RETRY_AFTER, "1");
		assertThat(answer).bodyJson().extractingPath("$.title").isEqualTo("Busy");
		assertThat(answer).bodyJson().extractingPath("$.detail").isEqualTo("Others are being served. Try again.");
	}

	@Test
	void anOutageIsNoConflict() {
		MvcTestResult answer = get(new LockServiceUnavailableException("down", LOCK, WAITED, null));
		assertThat(answer).hasStatus(HttpStatus.SERVICE_UNAVAILABLE).hasHeader(HttpHeaders.RETRY_AFTER, "1");
		assertThat(answer).bodyJson().extractingPath("$.title").isEqualTo("Locks are not available");
	}

	@Test
	void anInterruptIsNoConflict() {
		MvcTestResult answer = get(new LockInterruptedException("interrupted", LOCK, WAITED, null));
		assertThat(answer).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
		assertThat(answer).bodyJson().extractingPath("$.detail").isEqualTo("Nothing was changed. Try again later.");
	}

	@Test
	void aLossSaysThatTheRequestRan() {
		MvcTestResult answer = get(new LockLostException("lost", LOCK, WAITED, null));
		assertThat(answer).hasStatus(HttpStatus.INTERNAL_SERVER_ERROR)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.doesNotContainHeader(HttpHeaders.RETRY_AFTER);
		assertThat(answer).bodyJson().extractingPath("$.title").isEqualTo("Lock lost");
		assertThat(answer).bodyJson().extractingPath("$.detail").asString().startsWith("The request ran");
	}

	@Test
	void aRefusedWriteSaysThatNothingWasChanged() {
		MvcTestResult answer = get(new StaleLockException("stale", LOCK, 7));
		assertThat(answer).hasStatus(HttpStatus.CONFLICT);
		assertThat(answer).bodyJson().extractingPath("$.title").isEqualTo("Lock lost");
		assertThat(answer).bodyJson().extractingPath("$.detail").asString().endsWith("Nothing was changed.");
	}

	private static MvcTestResult get(LockException failure) {
		MvcTestResult[] answer = new MvcTestResult[1];
		new WebApplicationContextRunner().withConfiguration(AutoConfigurations.of(MessageSourceAutoConfiguration.class,
				DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class, JacksonAutoConfiguration.class,
				HttpMessageConvertersAutoConfiguration.class, LockWebAutoConfiguration.class))
			.withBean(FailingController.class, () -> new FailingController(failure))
			.run((context) -> answer[0] = MockMvcTester.from(context).get().uri("/").exchange());
		return answer[0];
	}

	@RestController
	static class FailingController {

		private final LockException failure;

		FailingController(LockException failure) {
			this.failure = failure;
		}

		@GetMapping("/")
		void fail() {
			throw this.failure;
		}

	}

}

package io.interlock.sample.web;

import java.time.Duration;

import io.interlock.LockException;
import io.interlock.LockId;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockServiceUnavailableException;
import io.interlock.fencing.StaleLockException;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockProblemAdvice}.
 */
class LockProblemAdviceTests {

	private static final LockId LOCK = new LockId("seats", "1");

	private static final Duration WAITED = Duration.ofMillis(1500);

	@Test
	void contentionIsAConflictThatMayBeTriedAgainSoon() {
		get(new LockNotAcquiredException("busy", LOCK, WAITED, null)).expectStatus()
			.isEqualTo(HttpStatus.CONFLICT)
			.expectHeader()
			.valueEquals(HttpHeaders.RETRY_AFTER, "1")
			.expectBody()
			.jsonPath("$.lock")
			.isEqualTo("seats[1]")
			.jsonPath("$.waitedMillis")
			.isEqualTo(1500);
	}

	@Test
	void anOutageIsNoConflict() {
		get(new LockServiceUnavailableException("down", LOCK, WAITED, null)).expectStatus()
			.isEqualTo(HttpStatus.SERVICE_UNAVAILABLE)
			.expectHeader()
			.valueEquals(HttpHeaders.RETRY_AFTER, "5");
	}

	@Test
	void anInterruptIsNoConflict() {
		get(new LockInterruptedException("interrupted", LOCK, WAITED, null)).expectStatus()
			.isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
	}

	@Test
	void aLossSaysThatTheRequestRan() {
		get(new LockLostException("lost", LOCK, WAITED, null)).expectStatus()
			.isEqualTo(HttpStatus.INTERNAL_SERVER_ERROR)
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.expectHeader()
			.doesNotExist(HttpHeaders.RETRY_AFTER)
			.expectBody()
			.jsonPath("$.title")
			.isEqualTo("Lock lost");
	}

	@Test
	void aRefusedWriteSaysThatNothingWasChanged() {
		get(new StaleLockException("stale", LOCK, 7)).expectStatus()
			.isEqualTo(HttpStatus.INTERNAL_SERVER_ERROR)
			.expectHeader()
			.doesNotExist(HttpHeaders.RETRY_AFTER)
			.expectBody()
			.jsonPath("$.title")
			.isEqualTo("Lock lost")
			.jsonPath("$.detail")
			.value((detail) -> assertThat(detail).asString().endsWith("Nothing was changed."));
	}

	private static RestTestClient.ResponseSpec get(LockException failure) {
		return RestTestClient.bindToController(new FailingController(failure))
			.configureServer((server) -> server.setControllerAdvice(new LockProblemAdvice()))
			.build()
			.get()
			.uri("/")
			.exchange();
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

package io.interlock.sample.database;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Tests for {@link DatabaseProblemAdvice}.
 */
class DatabaseProblemAdviceTests {

	@ParameterizedTest
	@ValueSource(strings = { "/query", "/transaction" })
	void answersServiceUnavailableWithoutTheDatabase(String path) {
		RestTestClient.bindToController(new FailingController())
			.configureServer((server) -> server.setControllerAdvice(new DatabaseProblemAdvice()))
			.build()
			.get()
			.uri(path)
			.exchange()
			.expectStatus()
			.isEqualTo(HttpStatus.SERVICE_UNAVAILABLE)
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.expectHeader()
			.valueEquals(HttpHeaders.RETRY_AFTER, "5");
	}

	@RestController
	static class FailingController {

		@GetMapping("/query")
		void query() {
			throw new CannotGetJdbcConnectionException("gone");
		}

		@GetMapping("/transaction")
		void transaction() {
			throw new CannotCreateTransactionException("gone");
		}

	}

}

package io.interlock.test;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;

/**
 * Tests for exceptions about locks in a slice of WebFlux that configures no locks.
 */
@WebFluxTest
@Import(RefusedSaleController.class)
class LockErrorsInWebFluxSliceTests {

	@Test
	void contentionIsAConflict(@Autowired ApplicationContext context) {
		WebTestClient.bindToApplicationContext(context)
			.build()
			.get()
			.uri("/sale")
			.exchange()
			.expectStatus()
			.isEqualTo(HttpStatus.CONFLICT)
			.expectHeader()
			.valueEquals(HttpHeaders.RETRY_AFTER, "1")
			.expectHeader()
			.contentTypeCompatibleWith(MediaType.APPLICATION_PROBLEM_JSON);
	}

}

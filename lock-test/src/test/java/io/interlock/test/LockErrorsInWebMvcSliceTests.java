package io.interlock.test;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for exceptions about locks in a slice of Web MVC that configures no locks.
 */
@WebMvcTest
@Import(RefusedSaleController.class)
class LockErrorsInWebMvcSliceTests {

	@Test
	void contentionIsAConflict(@Autowired MockMvcTester mvc) {
		assertThat(mvc.get().uri("/sale")).hasStatus(HttpStatus.CONFLICT)
			.hasHeader(HttpHeaders.RETRY_AFTER, "1")
			.hasContentTypeCompatibleWith(MediaType.APPLICATION_PROBLEM_JSON);
	}

}

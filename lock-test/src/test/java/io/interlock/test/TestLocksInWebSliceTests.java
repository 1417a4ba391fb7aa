package io.interlock.test;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AutoConfigureTestLocks} where only web controllers are configured.
 */
@WebMvcTest
@Import({ BoxOffice.class, TestLocksInWebSliceTests.BoxOfficeController.class })
@AutoConfigureTestLocks
class TestLocksInWebSliceTests {

	private final MockMvcTester mvc;

	private final TestLocks locks;

	TestLocksInWebSliceTests(@Autowired MockMvcTester mvc, @Autowired TestLocks locks) {
		this.mvc = mvc;
		this.locks = locks;
	}

	@Test
	void saleIsAnswered() {
		assertThat(this.mvc.get().uri("/sale")).hasStatusOk().hasBodyTextEqualTo("sold 42");
		assertThat(this.locks).acquired("seats", 42).times(1);
	}

	@Test
	void contentionIsAConflict() {
		this.locks.busy("seats", 42);
		assertThat(this.mvc.get().uri("/sale")).hasStatus(HttpStatus.CONFLICT);
	}

	@Test
	void outageIsUnavailable() {
		this.locks.unavailable();
		assertThat(this.mvc.get().uri("/sale")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
	}

	@Test
	void lossIsAnError() {
		assertThat(this.mvc.get().uri("/sale/lost")).hasStatus(HttpStatus.INTERNAL_SERVER_ERROR);
		assertThat(this.locks).lost("seats", 42);
	}

	@RestController
	static class BoxOfficeController {

		private final BoxOffice boxOffice;

		private final TestLocks locks;

		BoxOfficeController(BoxOffice boxOffice, TestLocks locks) {
			this.boxOffice = boxOffice;
			this.locks = locks;
		}

		@GetMapping("/sale")
		String sale() {
			return this.boxOffice.sell(42, () -> {
			});
		}

		@GetMapping("/sale/lost")
		String saleThatLosesItsLock() {
			return this.boxOffice.sell(42, () -> this.locks.lose("seats", 42));
		}

	}

}

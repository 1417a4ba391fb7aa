package io.interlock.sample;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.interlock.sample.event.PaymentService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.http.MediaType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the box office with {@code sample.locking=false}: what the locks are for.
 */
class BoxOfficeWithoutLocksTests {

	private static RunningBoxOffice boxOffice;

	@BeforeAll
	static void open() {
		boxOffice = RunningBoxOffice.first(List.of("--sample.locking=false", "--sample.rush.threads=41",
				"--spring.datasource.hikari.maximum-pool-size=50",
				"--spring.datasource.hikari.connection-timeout=60000"), MeetingPayments.class);
	}

	@AfterAll
	static void close() {
		boxOffice.close();
	}

	@Test
	void oversellsDuringARush() {
		RushReply rush = RushReply.of(boxOffice.client(), 2, 200);
		assertThat(rush.seats()).isEqualTo(40);
		// All who met have the first seat, and 39 seats were left to those behind them.
		assertThat(rush.oversold()).isGreaterThanOrEqualTo(40);
		assertThat(rush.doubleBooked()).isGreaterThanOrEqualTo(40);
		assertThat(rush.instances()).extracting(RushReply.Share::locking).containsOnly(false);
		assertThat(rush.instances()).extracting(RushReply.Share::failed).containsOnly(0);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/demo/comparison", "/demo/late-write" })
	void hasNoLockToShow(String path) {
		boxOffice.client()
			.post()
			.uri(path)
			.contentType(MediaType.APPLICATION_JSON)
			.body("{}")
			.exchange()
			.expectStatus()
			.isBadRequest()
			.expectBody()
			.jsonPath("$.detail")
			.value((detail) -> assertThat(detail).asString().contains("--sample.locking=false"));
	}

	/**
	 * Lets nobody write before more buyers than there are seats have read.
	 */
	@Configuration(proxyBeanMethods = false)
	static class MeetingPayments {

		@Bean
		@Primary
		PaymentService meetingPaymentService() {
			CountDownLatch paying = new CountDownLatch(41);
			return (buyer, amount) -> {
				paying.countDown();
				await(paying);
			};
		}

		private static void await(CountDownLatch latch) {
			try {
				assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}

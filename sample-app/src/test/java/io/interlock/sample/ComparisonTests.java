package io.interlock.sample;

import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.sample.event.PaymentService;
import io.interlock.template.LockContext;
import io.interlock.template.LockTemplate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the comparison of a sale without a lock and a sale with it.
 */
class ComparisonTests {

	private static final int COUNTERS = 4;

	private static RunningBoxOffice boxOffice;

	private static RestTestClient client;

	@BeforeAll
	static void open() {
		boxOffice = RunningBoxOffice.first(List.of(), MeetingPayments.class);
		client = boxOffice.client();
	}

	@AfterAll
	static void close() {
		boxOffice.close();
	}

	@Test
	void onlyTheSideWithoutALockSellsSeatsTwice() {
		Reply reply = compare();
		assertThat(reply.withoutLock().sold()).isEqualTo(200);
		assertThat(reply.withoutLock().oversold()).isEqualTo(100);
		assertThat(reply.withoutLock().doubleBooked()).isGreaterThanOrEqualTo(100);
		assertThat(reply.withoutLock().instances())
			.containsExactly(new RushReply.Share(boxOffice.name(), false, 200, 200, 0, 0, 0));
		assertThat(reply.withLock().sold()).isEqualTo(100);
		assertThat(reply.withLock().oversold()).isZero();
		assertThat(reply.withLock().doubleBooked()).isZero();
		assertThat(reply.withLock().instances())
			.containsExactly(new RushReply.Share(boxOffice.name(), true, 200, 100, 100, 0, 0));
	}

	@Test
	void bothSidesAreInTheDatabase() {
		compare();
		client.get().uri("/events/4/seats").exchange().expectBody().jsonPath("$.length()").isEqualTo(200);
		client.get().uri("/events/5/seats").exchange().expectBody().jsonPath("$.length()").isEqualTo(100);
	}

	@Test
	void visitorsDoNotSeeTheEventsOfTheComparison() {
		client.get().uri("/events").exchange().expectBody().jsonPath("$[*].id").isEqualTo(List.of(1, 2, 3));
	}

	@Test
	void isRefusedWhileARushRuns() {
		try (LockHandle lock = boxOffice.bean(LockTemplate.class).acquire(LockRequest.exclusive("rush"))) {
			assertThat(lock.isValid()).isTrue();
			post(MediaType.APPLICATION_JSON).expectStatus().isEqualTo(HttpStatus.CONFLICT);
		}
	}

	@Test
	void isRefusedAsTheFormOfAnotherPage() {
		post(MediaType.TEXT_PLAIN).expectStatus().isEqualTo(HttpStatus.UNSUPPORTED_MEDIA_TYPE);
	}

	private static Reply compare() {
		Reply reply = post(MediaType.APPLICATION_JSON).expectStatus()
			.isOk()
			.expectBody(Reply.class)
			.returnResult()
			.getResponseBody();
		assertThat(reply).isNotNull();
		return reply;
	}

	private static RestTestClient.ResponseSpec post(MediaType type) {
		return client.post().uri("/demo/comparison").contentType(type).body("{}").exchange();
	}

	/**
	 * What a client reads from the answer.
	 *
	 * @param withoutLock how it went without a lock
	 * @param withLock how it went with the lock
	 */
	record Reply(RushReply withoutLock, RushReply withLock) {

	}

	/**
	 * Lets the buyers without a lock pay together, so that all of them have read the same
	 * number of free seats.
	 */
	@Configuration(proxyBeanMethods = false)
	static class MeetingPayments {

		@Bean
		@Primary
		PaymentService meetingPaymentService() {
			CyclicBarrier paying = new CyclicBarrier(COUNTERS);
			return (buyer, amount) -> {
				if (LockContext.held().isEmpty()) {
					await(paying);
				}
			};
		}

		private static void await(CyclicBarrier barrier) {
			try {
				barrier.await(60, TimeUnit.SECONDS);
			}
			catch (InterruptedException | BrokenBarrierException | TimeoutException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}

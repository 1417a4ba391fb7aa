package io.interlock.sample;

import java.util.List;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.template.LockTemplate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the write that comes too late, as the live page shows it.
 */
class LateWriteTests {

	private static RunningBoxOffice boxOffice;

	@BeforeAll
	static void open() {
		boxOffice = RunningBoxOffice.first(List.of());
	}

	@AfterAll
	static void close() {
		boxOffice.close();
	}

	@Test
	void isRefusedByTheRow() {
		Reply reply = run();
		assertThat(reply.lateToken()).isPositive().isLessThan(reply.newestToken());
		assertThat(reply.tickets()).isEqualTo(1);
		assertThat(reply.refusal()).startsWith("Token %d of lock seats[7]".formatted(reply.lateToken()));
		boxOffice.client()
			.get()
			.uri("/events/7/report")
			.exchange()
			.expectBody()
			.jsonPath("$.sold")
			.isEqualTo(1)
			.jsonPath("$.consistent")
			.isEqualTo(true);
	}

	@Test
	void isToldStepByStep() {
		Reply reply = run();
		assertThat(reply.steps()).extracting(Step::actor)
			.containsExactly("ADA", "STORE", "GRACE", "GRACE", "ADA", "DATABASE", "DATABASE");
		assertThat(reply.steps()).extracting(Step::token)
			.containsExactly(reply.lateToken(), reply.lateToken(), reply.newestToken(), reply.newestToken(),
					reply.lateToken(), reply.lateToken(), reply.newestToken());
		assertThat(reply.steps()).extracting(Step::millis).isSorted();
	}

	@Test
	void usesNewTokensWheneverItIsShown() {
		Reply first = run();
		assertThat(run().lateToken()).isGreaterThan(first.newestToken());
	}

	@Test
	void isRefusedWhileAnotherOneIsShown() {
		try (LockHandle lock = boxOffice.bean(LockTemplate.class).acquire(LockRequest.exclusive("late-write"))) {
			assertThat(lock.isValid()).isTrue();
			post(MediaType.APPLICATION_JSON).expectStatus().isEqualTo(HttpStatus.CONFLICT);
		}
	}

	@Test
	void isRefusedAsTheFormOfAnotherPage() {
		post(MediaType.TEXT_PLAIN).expectStatus().isEqualTo(HttpStatus.UNSUPPORTED_MEDIA_TYPE);
	}

	private static Reply run() {
		Reply reply = post(MediaType.APPLICATION_JSON).expectStatus()
			.isOk()
			.expectBody(Reply.class)
			.returnResult()
			.getResponseBody();
		assertThat(reply).isNotNull();
		return reply;
	}

	private static RestTestClient.ResponseSpec post(MediaType type) {
		return boxOffice.client().post().uri("/demo/late-write").contentType(type).body("{}").exchange();
	}

	/**
	 * What a client reads from the answer.
	 *
	 * @param lateToken token of the write that was refused
	 * @param newestToken token that the row remembers
	 * @param tickets how many tickets for the seat there are
	 * @param refusal message of the exception
	 * @param steps what happened
	 */
	record Reply(long lateToken, long newestToken, int tickets, String refusal, List<Step> steps) {

	}

	/**
	 * Something that happened.
	 *
	 * @param millis when
	 * @param actor where
	 * @param token token of the lock
	 * @param text what
	 */
	record Step(long millis, String actor, long token, String text) {

	}

}

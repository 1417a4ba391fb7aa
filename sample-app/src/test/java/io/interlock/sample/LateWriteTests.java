package io.interlock.sample;

import java.util.List;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.template.LockTemplate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
	void sellsTheSeatTwiceWithoutAFence() {
		Reply reply = run("NONE");
		assertThat(reply.tickets()).isEqualTo(2);
		assertThat(reply.refusal()).isNull();
	}

	@Test
	void isRefusedByTheRow() {
		Reply reply = run("ROW");
		assertThat(reply.tickets()).isEqualTo(1);
		assertThat(reply.refusal()).startsWith("Token %d of lock seats[7]".formatted(reply.lateToken()));
	}

	@Test
	void isRefusedByTheTransactionBeforeItReads() {
		Reply reply = run("TRANSACTION");
		assertThat(reply.tickets()).isEqualTo(1);
		assertThat(reply.refusal()).contains("was rolled back before it read anything: lock fenced-seats[7]",
				"with token %d, was lost".formatted(reply.lateToken()),
				"with token %d.".formatted(reply.newestToken()));
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

	@ParameterizedTest
	@ValueSource(strings = { "NONE", "ROW", "TRANSACTION" })
	void isToldStepByStep(String fence) {
		Reply reply = run(fence);
		assertThat(reply.lateToken()).isPositive().isLessThan(reply.newestToken());
		assertThat(reply.steps()).extracting(Step::actor)
			.containsExactly("ADA", "STORE", "GRACE", "GRACE", "ADA", "DATABASE", "DATABASE");
		assertThat(reply.steps()).extracting(Step::token)
			.containsExactly(reply.lateToken(), reply.lateToken(), reply.newestToken(), reply.newestToken(),
					reply.lateToken(), reply.lateToken(), reply.newestToken());
		assertThat(reply.steps()).extracting(Step::millis).isSorted();
	}

	@ParameterizedTest
	@ValueSource(strings = { "NONE", "ROW", "TRANSACTION" })
	void usesNewTokensWheneverItIsShown(String fence) {
		Reply first = run(fence);
		assertThat(run(fence).lateToken()).isGreaterThan(first.newestToken());
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

	private static Reply run(String fence) {
		Reply[] replies = post(MediaType.APPLICATION_JSON).expectStatus()
			.isOk()
			.expectBody(Reply[].class)
			.returnResult()
			.getResponseBody();
		assertThat(replies).extracting(Reply::fence).containsExactly("NONE", "ROW", "TRANSACTION");
		return Stream.of(replies).filter((reply) -> reply.fence().equals(fence)).findFirst().orElseThrow();
	}

	private static RestTestClient.ResponseSpec post(MediaType type) {
		return boxOffice.client().post().uri("/demo/late-write").contentType(type).body("{}").exchange();
	}

	/**
	 * What a client reads from the answer.
	 *
	 * @param fence what fences the write
	 * @param lateToken token of the late write
	 * @param newestToken token of the holder after it
	 * @param tickets how many tickets for the seat there are
	 * @param refusal message of the exception, if there is one
	 * @param steps what happened
	 */
	record Reply(String fence, long lateToken, long newestToken, int tickets, @Nullable String refusal,
			List<Step> steps) {

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

package io.interlock.sample;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the ZooKeeper server that visitors stop and start.
 */
class ZooKeeperOutageTests {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static RunningBoxOffice first;

	private static RunningBoxOffice second;

	@BeforeAll
	static void open() {
		first = RunningBoxOffice.first(List.of("--sample.settlement.interval=1h"));
		second = first.joined();
	}

	@AfterAll
	static void close() {
		second.close();
		first.close();
	}

	@Test
	void callersAreToldThatLocksAreNotAvailable() {
		long token = awaitToken();
		runs(true);
		control(first, "stop").expectStatus().isNoContent();
		runs(false);
		call().expectStatus()
			.isEqualTo(HttpStatus.SERVICE_UNAVAILABLE)
			.expectHeader()
			.valueEquals(HttpHeaders.RETRY_AFTER, "1")
			.expectBody()
			.jsonPath("$.title")
			.isEqualTo("Locks are not available");
		control(first, "start").expectStatus().isNoContent();
		runs(true);
		assertThat(awaitToken()).isGreaterThan(token);
	}

	@Test
	void instanceWithoutAServerPassesNothingOn() {
		control(second, "stop").expectStatus()
			.isBadRequest()
			.expectBody()
			.jsonPath("$.detail")
			.isEqualTo("This instance runs no ZooKeeper server. Name the one that was started first");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/demo/zookeeper/stop", "/demo/zookeeper/start", "/demo/calls" })
	void takesNoFormOfAnotherPage(String path) {
		first.client()
			.post()
			.uri(path)
			.contentType(MediaType.TEXT_PLAIN)
			.body("{}")
			.exchange()
			.expectStatus()
			.isEqualTo(HttpStatus.UNSUPPORTED_MEDIA_TYPE);
	}

	private static long awaitToken() {
		return await().atMost(PATIENCE).until(() -> {
			Token token = call().returnResult(Token.class).getResponseBody();
			return (token != null && token.token() != null) ? token.token() : 0L;
		}, (token) -> token > 0);
	}

	private static void runs(boolean running) {
		await().atMost(PATIENCE)
			.untilAsserted(() -> second.client()
				.get()
				.uri("/demo/live")
				.exchange()
				.expectBody()
				.jsonPath("$.instances[?(@.name == '%s')].zooKeeperRuns".formatted(first.name()))
				.isEqualTo(running));
	}

	/**
	 * Ask the second instance to control the server of another one.
	 */
	private static RestTestClient.ResponseSpec control(RunningBoxOffice boxOffice, String action) {
		return post("/demo/zookeeper/" + action, Map.of("instance", boxOffice.name()));
	}

	private static RestTestClient.ResponseSpec call() {
		return post("/demo/calls", Map.of());
	}

	private static RestTestClient.ResponseSpec post(String path, Object body) {
		return second.client().post().uri(path).contentType(MediaType.APPLICATION_JSON).body(body).exchange();
	}

	/**
	 * What a caller reads from the answer.
	 *
	 * @param token fencing token of the lock, or {@code null} if the answer is a refusal
	 */
	record Token(@Nullable Long token) {

	}

}

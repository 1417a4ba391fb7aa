package io.interlock.sample;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.template.HeldLocks;
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
import static org.assertj.core.api.InstanceOfAssertFactories.list;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what the live page asks two instances for, and makes them do.
 */
class LivePageTests {

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
	void showsAllInstances() {
		await().atMost(PATIENCE).untilAsserted(LivePageTests::bothAreShown);
	}

	private static void bothAreShown() {
		board(second).jsonPath("$.answeredBy")
			.isEqualTo(second.name())
			.jsonPath("$.controls")
			.isEqualTo(true)
			.jsonPath("$.joinCommand")
			.isEqualTo("mvn -q -pl sample-app -am spring-boot:run -Dspring-boot.run.profiles=join")
			.jsonPath("$.instances.length()")
			.isEqualTo(2)
			.jsonPath("$.instances[*].session.state")
			.value((states) -> assertThat(states).asInstanceOf(list(String.class)).contains("CONNECTED"));
	}

	@Test
	void showsWhoHoldsALock() {
		try (LockHandle lock = second.bean(LockTemplate.class).acquire(LockRequest.exclusive("shown").withKey("1"))) {
			await().atMost(PATIENCE)
				.untilAsserted(() -> board(first)
					.jsonPath("$.instances[?(@.name == '%s')].locks[?(@.name == 'shown')].holders[0].token"
						.formatted(second.name()))
					.value((tokens) -> assertThat(tokens).asInstanceOf(list(Integer.class))
						.contains((int) lock.fencingToken())));
		}
	}

	@Test
	void showsThePlaceOfAnInstanceInZooKeeper() {
		try (LockHandle lock = second.bean(LockTemplate.class).acquire(LockRequest.exclusive("placed"))) {
			await().atMost(PATIENCE)
				.untilAsserted(() -> board(first)
					.jsonPath("$.cluster[?(@.name == 'placed')].contenders[?(@.token == %d)].instance"
						.formatted(lock.fencingToken()))
					.value((names) -> assertThat(names).asInstanceOf(list(String.class))
						.containsExactly(second.name())));
		}
	}

	@Test
	void showsAKeptLockWithTheInstanceThatKeepsItAlone() {
		long token;
		try (LockHandle lock = second.bean(LockTemplate.class)
			.acquire(LockRequest.exclusive("kept").withMinHold(Duration.ofHours(1)))) {
			token = lock.fencingToken();
		}
		await().atMost(PATIENCE)
			.untilAsserted(() -> board(first)
				.jsonPath("$.instances[?(@.name == '%s')].locks[?(@.name == 'kept')].holders[0].keptUntil"
					.formatted(second.name()))
				.value((ends) -> assertThat(ends).asInstanceOf(list(String.class)).hasSize(1))
				.jsonPath("$.cluster[?(@.name == 'kept')].contenders[?(@.token == %d)].instance".formatted(token))
				.value((names) -> assertThat(names).asInstanceOf(list(String.class)).containsExactly(second.name())));
	}

	@Test
	void stallsAHolderUntilItsSessionIsEnded() {
		hold(second, "stalled", 60).expectStatus().isAccepted();
		awaitHolder(second, "stalled");
		post(first, "/demo/sessions/end", Map.of("instance", second.name())).expectStatus().isNoContent();
		await().atMost(PATIENCE).untilAsserted(() -> story(second, "Lost stalled after"));
		await().atMost(PATIENCE).untilAsserted(() -> story(second, "Connected to ZooKeeper again"));
		try (LockHandle lock = first.bean(LockTemplate.class).acquire(LockRequest.exclusive("stalled"))) {
			assertThat(lock.isValid()).isTrue();
		}
	}

	@Test
	void freesTheHolderThatWasSeen() {
		hold(second, "freed", 60).expectStatus().isAccepted();
		long token = awaitHolder(second, "freed");
		free("freed", token).expectStatus().isNoContent();
		await().atMost(PATIENCE).untilAsserted(() -> story(second, "Lost freed after"));
	}

	@Test
	void asksAHolderWhoGivesTheLockUp() {
		hold(second, "asked", 60).expectStatus().isAccepted();
		long token = awaitHolder(second, "asked");
		control("/demo/locks/ask", "asked", token).expectStatus().isAccepted();
		await().atMost(PATIENCE).untilAsserted(() -> story(second, "The holder of asked gives it up"));
		await().atMost(PATIENCE).until(() -> token(second, "asked") == 0);
	}

	@Test
	void doesNotFreeANewerHolder() {
		try (LockHandle lock = first.bean(LockTemplate.class).acquire(LockRequest.exclusive("newer"))) {
			free("newer", lock.fencingToken() - 1).expectStatus()
				.isEqualTo(HttpStatus.CONFLICT)
				.expectHeader()
				.contentType(MediaType.APPLICATION_PROBLEM_JSON);
			assertThat(lock.isValid()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 61 })
	void refusesToStallForNoTimeOrTooLong(int seconds) {
		hold(second, "refused", seconds).expectStatus()
			.isBadRequest()
			.expectBody()
			.jsonPath("$.detail")
			.isEqualTo("'seconds' must be between 1 and 60, but was " + seconds);
	}

	@Test
	void refusesALockWithoutAName() {
		hold(first, " ", 1).expectStatus().isBadRequest();
	}

	@Test
	void refusesAnInstanceThatIsNotThere() {
		post(first, "/demo/sessions/end", Map.of("instance", "example.org:80")).expectStatus()
			.isBadRequest()
			.expectBody()
			.jsonPath("$.detail")
			.isEqualTo("There is no instance 'example.org:80'");
	}

	@Test
	void takesNoFormOfAnotherPage() {
		first.client()
			.post()
			.uri("/demo/sessions/end")
			.contentType(MediaType.TEXT_PLAIN)
			.body("{\"instance\":\"%s\"}".formatted(first.name()))
			.exchange()
			.expectStatus()
			.isEqualTo(HttpStatus.UNSUPPORTED_MEDIA_TYPE);
	}

	private static long awaitHolder(RunningBoxOffice boxOffice, String name) {
		return await().atMost(PATIENCE).until(() -> token(boxOffice, name), (token) -> token > 0);
	}

	private static long token(RunningBoxOffice boxOffice, String name) {
		return boxOffice.bean(HeldLocks.class)
			.held()
			.stream()
			.filter((lock) -> lock.id().name().equals(name))
			.mapToLong((lock) -> (lock.token() != null) ? lock.token() : 0)
			.findFirst()
			.orElse(0);
	}

	private static void story(RunningBoxOffice boxOffice, String start) {
		board(first).jsonPath("$.instances[?(@.name == '%s')].story[*].text".formatted(boxOffice.name()))
			.value((texts) -> assertThat(texts).asInstanceOf(list(String.class))
				.anyMatch((text) -> text.startsWith(start)));
	}

	private static RestTestClient.BodyContentSpec board(RunningBoxOffice boxOffice) {
		return boxOffice.client().get().uri("/demo/live").exchange().expectStatus().isOk().expectBody();
	}

	private static RestTestClient.ResponseSpec hold(RunningBoxOffice boxOffice, String name, int seconds) {
		return post(first, "/demo/holds", Map.of("instance", boxOffice.name(), "name", name, "seconds", seconds));
	}

	private static RestTestClient.ResponseSpec free(String name, @Nullable Long token) {
		return control("/demo/locks/free", name, token);
	}

	private static RestTestClient.ResponseSpec control(String path, String name, @Nullable Long token) {
		Map<String, @Nullable Object> body = new HashMap<>();
		body.put("name", name);
		body.put("token", token);
		return post(first, path, body);
	}

	private static RestTestClient.ResponseSpec post(RunningBoxOffice boxOffice, String path, Object body) {
		return boxOffice.client().post().uri(path).contentType(MediaType.APPLICATION_JSON).body(body).exchange();
	}

}

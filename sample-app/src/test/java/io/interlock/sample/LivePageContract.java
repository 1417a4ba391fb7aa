package io.interlock.sample;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.thread.Background;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.list;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what the live page asks two instances for, and makes them do, whatever the
 * store of their locks.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class LivePageContract {

	static final Duration PATIENCE = Duration.ofMinutes(1);

	RunningBoxOffice first;

	RunningBoxOffice second;

	/** Return where the locks are, as arguments of the application. */
	abstract List<String> store();

	@BeforeAll
	void open() {
		List<String> arguments = new ArrayList<>(store());
		arguments.add("--sample.settlement.interval=1h");
		this.first = RunningBoxOffice.first(arguments);
		this.second = this.first.joined();
	}

	@AfterAll
	void close() {
		if (this.second != null) {
			this.second.close();
		}
		if (this.first != null) {
			this.first.close();
		}
	}

	@Test
	void showsWhoHoldsALock() {
		try (LockHandle lock = this.second.bean(LockTemplate.class)
			.acquire(LockRequest.exclusive("shown").withKey("1"))) {
			await().atMost(PATIENCE)
				.untilAsserted(() -> board(this.first)
					.jsonPath("$.instances[?(@.name == '%s')].locks[?(@.name == 'shown')].holders[0].token"
						.formatted(this.second.name()))
					.value((tokens) -> assertThat(tokens).asInstanceOf(list(Number.class))
						.extracting(Number::longValue)
						.contains(lock.fencingToken())));
		}
	}

	@Test
	void showsThePlaceOfAnInstanceInTheStore() {
		try (LockHandle lock = this.second.bean(LockTemplate.class).acquire(LockRequest.exclusive("placed"))) {
			await().atMost(PATIENCE)
				.untilAsserted(() -> board(this.first)
					.jsonPath("$.cluster[?(@.name == 'placed')].contenders[?(@.token == %d)].instance"
						.formatted(lock.fencingToken()))
					.value((names) -> assertThat(names).asInstanceOf(list(String.class))
						.containsExactly(this.second.name())));
		}
	}

	@Test
	void showsAWaiterWithItsInstance() throws Exception {
		LockRequest request = LockRequest.exclusive("queued").withWaitTime(PATIENCE);
		LockHandle held = this.first.bean(LockTemplate.class).acquire(request);
		Background<Boolean> waiter = Background.start(() -> {
			this.second.bean(LockTemplate.class).acquire(request).close();
			return true;
		});
		await().atMost(PATIENCE)
			.untilAsserted(() -> board(this.first).jsonPath("$.cluster[?(@.name == 'queued')].contenders[*].instance")
				.value((names) -> assertThat(names).asInstanceOf(list(String.class))
					.containsExactly(this.first.name(), this.second.name()))
				.jsonPath("$.cluster[?(@.name == 'queued')].contenders[*].holds")
				.value((holds) -> assertThat(holds).asInstanceOf(list(Boolean.class)).containsExactly(true, false)));
		held.close();
		assertThat(waiter.join()).isTrue();
	}

	@Test
	void hasTheControlsOfHolders() {
		await().atMost(PATIENCE)
			.untilAsserted(() -> board(this.first).jsonPath("$.controls")
				.isEqualTo(true)
				.jsonPath("$.faults")
				.isEqualTo(true)
				.jsonPath("$.instances.length()")
				.isEqualTo(2));
	}

	@Test
	void showsAKeptLockWithTheInstanceThatKeepsItAlone() {
		long token;
		try (LockHandle lock = this.second.bean(LockTemplate.class)
			.acquire(LockRequest.exclusive("kept").withMinHold(Duration.ofHours(1)))) {
			token = lock.fencingToken();
		}
		await().atMost(PATIENCE)
			.untilAsserted(() -> board(this.first)
				.jsonPath("$.instances[?(@.name == '%s')].locks[?(@.name == 'kept')].holders[0].keptUntil"
					.formatted(this.second.name()))
				.value((ends) -> assertThat(ends).asInstanceOf(list(String.class)).hasSize(1))
				.jsonPath("$.cluster[?(@.name == 'kept')].contenders[?(@.token == %d)].instance".formatted(token))
				.value((names) -> assertThat(names).asInstanceOf(list(String.class))
					.containsExactly(this.second.name())));
	}

	@Test
	void freesTheHolderThatWasSeen() {
		hold(this.second, "freed", 60).expectStatus().isAccepted();
		long token = awaitHolder(this.second, "freed");
		free("freed", token).expectStatus().isNoContent();
		await().atMost(PATIENCE).untilAsserted(() -> story(this.second, "Lost freed after"));
		try (LockHandle next = this.first.bean(LockTemplate.class).acquire(LockRequest.exclusive("freed"))) {
			assertThat(next.fencingToken()).isGreaterThan(token);
		}
	}

	@Test
	void asksAHolderWhoGivesTheLockUp() {
		hold(this.second, "asked", 60).expectStatus().isAccepted();
		long token = awaitHolder(this.second, "asked");
		control("/demo/locks/ask", this.second, "asked", token).expectStatus().isAccepted();
		await().atMost(PATIENCE).untilAsserted(() -> story(this.second, "The holder of asked gives it up"));
		await().atMost(PATIENCE).until(() -> token(this.second, "asked") == 0);
	}

	/** A holder in a database or Redis learns of its loss by its next renewal. */
	@Test
	void refusesAWriteThatComesTooLate() {
		post(this.first, "/demo/late-write", Map.of()).expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$[*].fence")
			.isEqualTo(List.of("NONE", "ROW", "TRANSACTION"))
			.jsonPath("$[1].steps[*].actor")
			.isEqualTo(List.of("ADA", "STORE", "GRACE", "GRACE", "ADA", "DATABASE", "DATABASE"))
			.jsonPath("$[*].tickets")
			.isEqualTo(List.of(2, 1, 1));
	}

	@Test
	void doesNotFreeANewerHolder() {
		try (LockHandle lock = this.first.bean(LockTemplate.class).acquire(LockRequest.exclusive("newer"))) {
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
		hold(this.second, "refused", seconds).expectStatus()
			.isBadRequest()
			.expectBody()
			.jsonPath("$.detail")
			.isEqualTo("'seconds' must be between 1 and 60, but was " + seconds);
	}

	@Test
	void refusesALockWithoutAName() {
		hold(this.first, " ", 1).expectStatus().isBadRequest();
	}

	static long awaitHolder(RunningBoxOffice boxOffice, String name) {
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

	void story(RunningBoxOffice boxOffice, String start) {
		board(this.first).jsonPath("$.instances[?(@.name == '%s')].story[*].text".formatted(boxOffice.name()))
			.value((texts) -> assertThat(texts).asInstanceOf(list(String.class))
				.anyMatch((text) -> text.startsWith(start)));
	}

	static RestTestClient.BodyContentSpec board(RunningBoxOffice boxOffice) {
		return boxOffice.client().get().uri("/demo/live").exchange().expectStatus().isOk().expectBody();
	}

	RestTestClient.ResponseSpec hold(RunningBoxOffice boxOffice, String name, int seconds) {
		return post(this.first, "/demo/holds", Map.of("instance", boxOffice.name(), "name", name, "seconds", seconds));
	}

	RestTestClient.ResponseSpec free(String name, @Nullable Long token) {
		return control("/demo/locks/free", this.second, name, token);
	}

	RestTestClient.ResponseSpec control(String path, RunningBoxOffice holder, String name, @Nullable Long token) {
		Map<String, @Nullable Object> body = new HashMap<>();
		body.put("instance", holder.name());
		body.put("name", name);
		body.put("token", token);
		return post(this.first, path, body);
	}

	static RestTestClient.ResponseSpec post(RunningBoxOffice boxOffice, String path, Object body) {
		return boxOffice.client().post().uri(path).contentType(MediaType.APPLICATION_JSON).body(body).exchange();
	}

}

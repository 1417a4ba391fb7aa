package io.interlock.sample;

import java.util.List;
import java.util.Map;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.template.LockTemplate;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.list;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the live page with locks in ZooKeeper, whose sessions visitors may end.
 */
class LivePageTests extends LivePageContract {

	@Override
	List<String> store() {
		return List.of();
	}

	@Test
	void showsAllInstances() {
		await().atMost(PATIENCE).untilAsserted(this::bothAreShown);
	}

	private void bothAreShown() {
		board(this.second).jsonPath("$.answeredBy")
			.isEqualTo(this.second.name())
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
	void stallsAHolderUntilItsSessionIsEnded() {
		hold(this.second, "stalled", 60).expectStatus().isAccepted();
		awaitHolder(this.second, "stalled");
		post(this.first, "/demo/sessions/end", Map.of("instance", this.second.name())).expectStatus().isNoContent();
		await().atMost(PATIENCE).untilAsserted(() -> story(this.second, "Lost stalled after"));
		await().atMost(PATIENCE).untilAsserted(() -> story(this.second, "Connected to ZooKeeper again"));
		try (LockHandle lock = this.first.bean(LockTemplate.class).acquire(LockRequest.exclusive("stalled"))) {
			assertThat(lock.isValid()).isTrue();
		}
	}

	@Test
	void refusesAnInstanceThatIsNotThere() {
		post(this.first, "/demo/sessions/end", Map.of("instance", "example.org:80")).expectStatus()
			.isBadRequest()
			.expectBody()
			.jsonPath("$.detail")
			.isEqualTo("There is no instance 'example.org:80'");
	}

	@Test
	void takesNoFormOfAnotherPage() {
		this.first.client()
			.post()
			.uri("/demo/sessions/end")
			.contentType(MediaType.TEXT_PLAIN)
			.body("{\"instance\":\"%s\"}".formatted(this.first.name()))
			.exchange()
			.expectStatus()
			.isEqualTo(HttpStatus.UNSUPPORTED_MEDIA_TYPE);
	}

}

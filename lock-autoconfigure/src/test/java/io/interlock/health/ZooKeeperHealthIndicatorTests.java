package io.interlock.health;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.interlock.zookeeper.SessionSnapshot;
import io.interlock.zookeeper.SessionSnapshot.State;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.entry;

/**
 * Tests for {@link ZooKeeperHealthIndicator}.
 */
class ZooKeeperHealthIndicatorTests {

	private static final Instant SINCE = Instant.parse("2026-01-02T03:04:05Z");

	@Test
	@SuppressWarnings("NullAway")
	void createWithoutSessionFails() {
		assertThatIllegalArgumentException().isThrownBy(() -> new ZooKeeperHealthIndicator(null, List::of))
			.withMessage("'session' must not be null");
	}

	@ParameterizedTest
	@CsvSource({ "CONNECTING,DOWN", "CONNECTED,UP", "SUSPENDED,OUT_OF_SERVICE", "LOST,DOWN", "CLOSED,DOWN" })
	void statusFollowsTheStateOfTheSession(State state, String status) {
		assertThat(health(new SessionSnapshot(state, SINCE, null, null, null, false)).getStatus())
			.isEqualTo(new Status(status));
	}

	@ParameterizedTest
	@EnumSource
	void tellsTheStateAndSinceWhen(State state) {
		Health health = health(new SessionSnapshot(state, SINCE, null, null, null, false));
		assertThat(health.getDetails()).containsEntry("state", state).containsEntry("since", SINCE);
	}

	@ParameterizedTest
	@CsvSource(nullValues = "none",
			value = { "CONNECTING,'no server has been reached yet'", "CONNECTED,none",
					"SUSPENDED,'the connection was lost, and no server can be reached'",
					"LOST,'the session has ended, and no server can be reached'", "CLOSED,none" })
	void tellsTheServersAndWhatIsWrong(State state, @Nullable String failure) {
		SessionSnapshot session = new SessionSnapshot(state, SINCE, null, null, null, false);
		Health health = new ZooKeeperHealthIndicator(() -> session, () -> "zk1:2181,zk2:2181", List::of).health();
		assertThat(health.getDetails()).containsEntry("address", "zk1:2181,zk2:2181");
		assertThat(health.getDetails().get("failure")).isEqualTo(failure);
	}

	@Test
	void tellsTheSession() {
		Health health = health(
				new SessionSnapshot(State.CONNECTED, SINCE, 0x1000abcdL, Duration.ofSeconds(30), null, false));
		assertThat(health.getDetails()).contains(entry("sessionId", "0x1000abcd"),
				entry("negotiatedTimeout", Duration.ofSeconds(30)));
	}

	@Test
	void writesTheSessionIdAsUnsigned() {
		Health health = health(new SessionSnapshot(State.CONNECTED, SINCE, -1L, Duration.ofSeconds(30), null, false));
		assertThat(health.getDetails()).containsEntry("sessionId", "0xffffffffffffffff");
	}

	@Test
	void tellsTheAgeOfTheLastAnswer() {
		Health health = health(new SessionSnapshot(State.CONNECTED, SINCE, 1L, Duration.ofSeconds(30),
				Duration.ofMillis(1200), false));
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("answerAge", Duration.ofMillis(1200));
	}

	@Test
	void isOutOfServiceWhileAnswersAreLate() {
		Health health = health(
				new SessionSnapshot(State.CONNECTED, SINCE, 1L, Duration.ofSeconds(30), Duration.ofSeconds(5), true));
		assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
		assertThat(health.getDetails()).containsEntry("state", State.SUSPENDED)
			.containsEntry("answerAge", Duration.ofSeconds(5))
			.doesNotContainKey("since");
	}

	@Test
	void tellsTheElectionsThatAreWon() {
		SessionSnapshot session = new SessionSnapshot(State.CONNECTED, SINCE, 1L, Duration.ofSeconds(30), null, false);
		Health health = new ZooKeeperHealthIndicator(() -> session, () -> List.of("billing")).health();
		assertThat(health.getDetails()).containsEntry("leading", List.of("billing"));
	}

	@Test
	void isDownIfTheSessionCannotBeTold() {
		Health health = new ZooKeeperHealthIndicator(() -> {
			throw new IllegalStateException("broken");
		}, List::of).health();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
	}

	private static Health health(SessionSnapshot session) {
		return new ZooKeeperHealthIndicator(() -> session, List::of).health();
	}

}

package io.interlock.health;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

import io.interlock.lease.LeaseStoreAddress;
import io.interlock.lease.LeaseStoreSnapshot;
import io.interlock.lease.LeaseStoreSnapshot.State;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaseHealthIndicator}.
 */
class LeaseHealthIndicatorTests {

	private static final LeaseStoreAddress ADDRESS = new LeaseStoreAddress("Redis", "there:6379", "keys", "properties");

	private static Health health(LeaseStoreSnapshot store, Collection<String> leading) {
		return new LeaseHealthIndicator(() -> ADDRESS, () -> store, () -> leading).health();
	}

	@ParameterizedTest
	@CsvSource({ "CONNECTED, UP", "SUSPENDED, OUT_OF_SERVICE", "CONNECTING, DOWN", "LOST, DOWN", "CLOSED, DOWN" })
	void statusFollowsTheConnection(State state, String status) {
		assertThat(health(new LeaseStoreSnapshot(state, null, null, 0, 0), List.of()).getStatus())
			.isEqualTo(new Status(status));
	}

	@Test
	void detailsSayWhatIsKnown() {
		Health health = health(new LeaseStoreSnapshot(State.SUSPENDED, Duration.ofSeconds(6), "no answer", 3, 2),
				List.of("billing"));
		assertThat(health.getDetails()).containsEntry("state", State.SUSPENDED)
			.containsEntry("store", "Redis")
			.containsEntry("address", "there:6379")
			.containsEntry("keptIn", "keys")
			.containsEntry("answerAge", Duration.ofSeconds(6))
			.containsEntry("failure", "no answer")
			.containsEntry("holds", 3)
			.containsEntry("pendingReleases", 2)
			.containsEntry("leading", List.of("billing"));
	}

	@Test
	void detailsLeaveOutWhatIsNotKnown() {
		assertThat(health(new LeaseStoreSnapshot(State.CONNECTING, null, null, 0, 0), List.of()).getDetails())
			.containsOnlyKeys("state", "store", "address", "keptIn", "holds", "pendingReleases");
	}

}

package io.interlock.health;

import java.time.Duration;
import java.util.List;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.metrics.LockStoreMetrics;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.zookeeper.SessionSnapshot.State;
import io.interlock.zookeeper.internal.engine.Instance;
import io.interlock.zookeeper.internal.engine.LocalServer;
import io.interlock.zookeeper.internal.engine.SharedServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ZooKeeperHealthIndicator} while the servers hang: connections stay,
 * and no request is answered.
 */
@ExtendWith(SharedServer.class)
class SilentServersTests {

	/** Less than two thirds of the session timeout, when the client would notice. */
	private static final Duration IN_TIME = Duration.ofSeconds(15);

	private final LocalServer server;

	SilentServersTests(LocalServer server) {
		this.server = server;
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void healthAndMeterAreOutOfServiceUntilTheServersAnswerAgain(boolean held) {
		try (ZooKeeperProxy proxy = ZooKeeperProxy.to(this.server.port());
				Instance instance = Instance.connectedTo(proxy.connectString())) {
			LockHandle lock = instance.template().acquire(LockRequest.exclusive("silent-servers-" + held));
			ZooKeeperHealthIndicator indicator = new ZooKeeperHealthIndicator(instance.provider()::session,
					instance.provider()::address, List::of);
			MeterRegistry meters = new SimpleMeterRegistry();
			new LockStoreMetrics(() -> instance.provider().session().usableState(), () -> 0).bindTo(meters);
			if (!held) {
				lock.close();
				await().until(() -> instance.provider().pendingReleases() == 0);
			}
			await().untilAsserted(() -> assertThat(indicator.health().getStatus()).isEqualTo(Status.UP));
			proxy.holdReplies();
			await().atMost(IN_TIME).untilAsserted(() -> {
				Health health = indicator.health();
				assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
				assertThat(health.getDetails()).containsEntry("state", State.SUSPENDED)
					.containsEntry("address", proxy.connectString())
					.containsEntry("failure", "the connection is open, but the servers do not answer");
				assertThat(answerAge(health)).isGreaterThan(Duration.ofSeconds(2));
				assertThat(connection(meters, "suspended")).isEqualTo(1);
				assertThat(connection(meters, "connected")).isZero();
			});
			proxy.heal();
			await().untilAsserted(() -> assertThat(indicator.health().getStatus()).isEqualTo(Status.UP));
			await().untilAsserted(() -> assertThat(connection(meters, "connected")).isEqualTo(1));
			lock.close();
		}
	}

	private static double connection(MeterRegistry meters, String state) {
		return meters.get("interlock.connection").tag("state", state).gauge().value();
	}

	private static @Nullable Duration answerAge(Health health) {
		return (Duration) health.getDetails().get("answerAge");
	}

}

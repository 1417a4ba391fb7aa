package io.interlock.redis;

import java.time.Duration;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LettuceConnections} to a cluster, without servers.
 */
class LettuceConnectionsTests {

	@Test
	void masterThatIsAwayIsLookedForAtTheFirstFailureAndOnceASecond() {
		ClusterTopologyRefreshOptions refresh = refreshWith(LettuceClientConfiguration.builder().build());
		assertThat(refresh.getRefreshTriggersReconnectAttempts()).isEqualTo(1);
		assertThat(refresh.getAdaptiveRefreshTimeout()).isEqualTo(Duration.ofSeconds(1));
		assertThat(refresh.isPeriodicRefreshEnabled()).isFalse();
	}

	@Test
	void otherSettingsOfTheApplicationAreKept() {
		ClientOptions options = ClusterClientOptions.builder()
			.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
				.enablePeriodicRefresh(Duration.ofMinutes(7))
				.dynamicRefreshSources(false)
				.closeStaleConnections(false)
				.build())
			.build();
		ClusterTopologyRefreshOptions refresh = refreshWith(
				LettuceClientConfiguration.builder().clientOptions(options).build());
		assertThat(refresh.getRefreshPeriod()).isEqualTo(Duration.ofMinutes(7));
		assertThat(refresh.isPeriodicRefreshEnabled()).isTrue();
		assertThat(refresh.useDynamicRefreshSources()).isFalse();
		assertThat(refresh.isCloseStaleConnections()).isFalse();
		assertThat(refresh.getRefreshTriggersReconnectAttempts()).isEqualTo(1);
	}

	private static ClusterTopologyRefreshOptions refreshWith(LettuceClientConfiguration client) {
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisClusterConfiguration().clusterNode("127.0.0.1", 1), client);
		try (LettuceConnections connections = new LettuceConnections(application, Duration.ofSeconds(5))) {
			ClientOptions options = connections.factory().getClientConfiguration().getClientOptions().orElseThrow();
			return ((ClusterClientOptions) options).getTopologyRefreshOptions();
		}
	}

}

package io.interlock.redis;

import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link RedisAddress}.
 */
class RedisAddressTests {

	private static String addressOf(RedisConfiguration servers) {
		return RedisAddress
			.of(new LettuceConnectionFactory(servers, LettuceClientConfiguration.defaultConfiguration()));
	}

	@Test
	void singleServer() {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("db", 6380);
		server.setPassword("secret");
		assertThat(addressOf(server)).isEqualTo("db:6380");
	}

	@Test
	void cluster() {
		assertThat(addressOf(new RedisClusterConfiguration(List.of("one:1", "two:2"))).split(","))
			.containsExactlyInAnyOrder("one:1", "two:2");
	}

	@Test
	void sentinels() {
		assertThat(addressOf(new RedisSentinelConfiguration().master("shop").sentinel("one", 1))).isEqualTo("one:1");
	}

	@Test
	void socket() {
		assertThat(addressOf(new RedisSocketConfiguration("/run/redis.sock"))).isEqualTo("/run/redis.sock");
	}

	@Test
	void replicas() {
		RedisStaticMasterReplicaConfiguration servers = new RedisStaticMasterReplicaConfiguration("one", 1);
		servers.addNode("two", 2);
		assertThat(addressOf(servers)).isEqualTo("one:1,two:2");
	}

	@Test
	void otherFactoriesAreToldByTheirType() {
		assertThat(RedisAddress.of(mock(RedisConnectionFactory.class))).contains("RedisConnectionFactory");
	}

}

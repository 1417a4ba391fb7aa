package io.interlock.autoconfigure.zookeeper;

import io.interlock.zookeeper.Peers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ZooKeeperProperties}.
 */
class ZooKeeperPropertiesTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withUserConfiguration(PropertiesConfiguration.class);

	@Test
	void hasDefaults() {
		this.contextRunner.run((context) -> {
			ZooKeeperProperties properties = context.getBean(ZooKeeperProperties.class);
			assertThat(properties.rootPath()).isEqualTo("/interlock");
			assertThat(properties.locks()).isEmpty();
		});
	}

	@Test
	void bindsOverridesOfOneLock() {
		this.contextRunner
			.withPropertyValues("interlock.zookeeper.locks.orders.peers=read-write",
					"interlock.zookeeper.locks.orders.keep-parent=true", "interlock.zookeeper.locks[a.b].peers=mutex",
					"interlock.zookeeper.locks.priceChange.peers=mutex")
			.run((context) -> assertThat(context.getBean(ZooKeeperProperties.class).locks())
				.containsOnlyKeys("orders", "a.b", "priceChange")
				.containsEntry("orders", new ZooKeeperProperties.Lock(Peers.READ_WRITE, true))
				.containsEntry("a.b", new ZooKeeperProperties.Lock(Peers.MUTEX, false)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/interlock", "/a/b", "/apps/orders-eu/locks", "/zookeepers", "/a/zookeeper" })
	void acceptsRootPath(String path) {
		this.contextRunner.withPropertyValues("interlock.zookeeper.root-path=" + path)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "interlock | It must be absolute: write '/interlock'.",
					"/ | It must not be the root of ZooKeeper", "/interlock/ | must not end with /",
					"/zookeeper | belongs to ZooKeeper itself", "/zookeeper/locks | belongs to ZooKeeper itself",
					"zookeeper | belongs to ZooKeeper itself", "/a//b | empty node name",
					"/a/../b | relative paths not allowed",
					"'' | It must not be empty: write '/interlock', or remove the property." })
	void refusesRootPath(String path, String reason) {
		this.contextRunner.withPropertyValues("interlock.zookeeper.root-path=" + path)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContaining("interlock.zookeeper.root-path")
				.hasMessageContaining(reason));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(ZooKeeperProperties.class)
	static class PropertiesConfiguration {

	}

}

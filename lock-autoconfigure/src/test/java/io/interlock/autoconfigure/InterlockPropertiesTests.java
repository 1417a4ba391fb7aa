package io.interlock.autoconfigure;

import java.time.Duration;

import io.interlock.LockRequest;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.curator.Peers;
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
 * Tests for {@link InterlockProperties}.
 */
class InterlockPropertiesTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withUserConfiguration(PropertiesConfiguration.class);

	@Test
	void hasDefaults() {
		this.contextRunner.run((context) -> {
			InterlockProperties properties = context.getBean(InterlockProperties.class);
			assertThat(properties.enabled()).isTrue();
			assertThat(properties.rootPath()).isEqualTo("/interlock");
			assertThat(properties.defaultWaitTime().duration()).isEqualTo(Duration.ofSeconds(10));
			assertThat(properties.instanceId()).isNull();
			assertThat(properties.tryTimeout()).isEqualTo(Duration.ofSeconds(1));
			assertThat(properties.releaseTimeout()).isEqualTo(Duration.ofSeconds(1));
			assertThat(properties.verifyTimeout()).isEqualTo(Duration.ofSeconds(5));
			assertThat(properties.locks()).isEmpty();
			assertThat(properties.annotations()).isEqualTo(new InterlockProperties.Annotations(true, 2147483547));
			assertThat(properties.events().enabled()).isTrue();
			assertThat(properties.queue())
				.isEqualTo(new InterlockProperties.Queue(true, Duration.ofMillis(50), null, null));
		});
	}

	@Test
	void bindsOverridesOfOneLock() {
		this.contextRunner
			.withPropertyValues("interlock.locks.orders.wait-time=30s", "interlock.locks.orders.on-contention=skip",
					"interlock.locks.orders.enabled=false", "interlock.locks.orders.peers=read-write",
					"interlock.locks.orders.queue-enabled=false")
			.run((context) -> assertThat(context.getBean(InterlockProperties.class).locks()).containsOnlyKeys("orders")
				.containsValue(new InterlockProperties.Lock(WaitTime.of("30s"), ContentionPolicy.SKIP, false,
						Peers.READ_WRITE, false)));
	}

	@Test
	void overridesOfOneLockHaveDefaults() {
		this.contextRunner.withPropertyValues("interlock.locks.orders.wait-time=30s")
			.run((context) -> assertThat(context.getBean(InterlockProperties.class).locks())
				.containsValue(new InterlockProperties.Lock(WaitTime.of("30s"), null, true, Peers.MUTEX, null)));
	}

	@Test
	void bindsNamesWithSpecialCharactersInBrackets() {
		this.contextRunner
			.withPropertyValues("interlock.locks[a.b].wait-time=forever", "interlock.locks[stock/eu 1].enabled=false",
					"interlock.locks.priceChange.peers=mutex")
			.run((context) -> {
				InterlockProperties properties = context.getBean(InterlockProperties.class);
				assertThat(properties.locks()).containsOnlyKeys("a.b", "stock/eu 1", "priceChange");
				assertThat(properties.locks().get("a.b").waitTime()).isEqualTo(WaitTime.of("forever"));
			});
	}

	@Test
	void bindsForeverAsDefaultWaitTime() {
		this.contextRunner.withPropertyValues("interlock.default-wait-time=forever")
			.run((context) -> assertThat(context.getBean(InterlockProperties.class).defaultWaitTime().duration())
				.isEqualTo(LockRequest.FOREVER));
	}

	@ParameterizedTest
	@CsvSource({ "interlock.default-wait-time", "interlock.locks.orders.wait-time", "interlock.locks[a.b].wait-time" })
	void namesPropertyOfWaitTimeWithoutUnit(String property) {
		this.contextRunner.withPropertyValues(property + "=5")
			.run((context) -> assertThat(context).getFailure()
				.satisfies((failure) -> assertThat(failure).hasStackTraceContaining(property)
					.hasStackTraceContaining("'5' has no unit. Write a number and a unit")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/interlock", "/a/b", "/apps/orders-eu/locks", "/zookeepers", "/a/zookeeper" })
	void acceptsRootPath(String path) {
		this.contextRunner.withPropertyValues("interlock.root-path=" + path)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "interlock | It must be absolute: write '/interlock'.",
					"/ | It must not be the root of ZooKeeper", "/interlock/ | must not end with /",
					"/zookeeper | belongs to ZooKeeper itself", "/zookeeper/locks | belongs to ZooKeeper itself",
					"/a//b | empty node name", "/a/../b | relative paths not allowed", "'' | It must be absolute" })
	void refusesRootPath(String path, String reason) {
		this.contextRunner.withPropertyValues("interlock.root-path=" + path)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContaining("interlock.root-path")
				.hasMessageContaining(reason));
	}

	@ParameterizedTest
	@CsvSource({ "try-timeout, 0s", "try-timeout, -1s", "verify-timeout, 0s", "release-timeout, -1s",
			"instance-id, ' '", "queue.max-tenure, -1ms", "queue.max-handoffs, -1", "queue.max-waiting, 0" })
	void refusesImpossibleValue(String property, String value) {
		this.contextRunner.withPropertyValues("interlock." + property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContaining("interlock." + property));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(InterlockProperties.class)
	static class PropertiesConfiguration {

	}

}

package io.interlock.redis.autoconfigure;

import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.redis.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link RedisLockAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisLockAutoConfigurationTests {

	private final ApplicationContextRunner withoutRedis = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(RedisLockAutoConfiguration.class, InterlockAutoConfiguration.class));

	private final ApplicationContextRunner contextRunner = this.withoutRedis
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
		.withPropertyValues("interlock.provider=redis", "spring.data.redis.host=127.0.0.1");

	@ParameterizedTest
	@ValueSource(strings = { "interlock.redis.lease", "interlock.redis.poll-interval", "interlock.redis.keep-unused",
			"interlock.redis.wait-replicas-timeout" })
	void durationWithoutUnitIsRefused(String property) {
		this.contextRunner.withPropertyValues(property + "=60000")
			.run((context) -> assertThat(context.getStartupFailure()).hasStackTraceContaining(property)
				.hasStackTraceContaining("The time '60000' has no unit. Write a number and a unit"));
	}

	@Test
	void locksInTheRedisOfTheApplication(CapturedOutput output) {
		try (RedisServer server = RedisServer.start()) {
			this.contextRunner
				.withPropertyValues("spring.data.redis.port=" + server.port(), "interlock.redis.key-prefix=shop:")
				.run((context) -> {
					assertThat(context).hasSingleBean(LeaseLockProvider.class)
						.hasSingleBean(RedisConnectionFactory.class);
					context.getBean(LockTemplate.class).acquire(LockRequest.exclusive("stock")).close();
					assertThat(context.getBean(StringRedisTemplate.class).hasKey("shop:{stock}")).isTrue();
				});
			assertThat(output).containsOnlyOnce("a fail-over to a replica can grant a lock twice");
		}
	}

	@Test
	void namesOfTwoNamespacesAreTwoLocks() {
		try (RedisServer server = RedisServer.start()) {
			ApplicationContextRunner runner = this.contextRunner
				.withPropertyValues("spring.data.redis.port=" + server.port());
			LockRequest stock = LockRequest.exclusive("stock");
			runner.run((plain) -> runner.withPropertyValues("interlock.namespace=shop").run((shop) -> {
				try (LockHandle held = plain.getBean(LockTemplate.class).acquire(stock);
						LockHandle other = shop.getBean(LockTemplate.class).tryAcquire(stock).orElseThrow()) {
					assertThat(other.id()).isEqualTo(held.id());
				}
				assertThat(plain.getBean(StringRedisTemplate.class).keys("*"))
					.containsExactlyInAnyOrder("interlock:{stock}", "interlock:shop:{stock}");
			}));
		}
	}

	@Test
	void aChildContextThatClosesLeavesTheLocksOfItsParent() {
		try (RedisServer server = RedisServer.start()) {
			ApplicationContextRunner runner = this.contextRunner
				.withPropertyValues("spring.data.redis.port=" + server.port(), "interlock.startup-timeout=30s");
			LockRequest stock = LockRequest.exclusive("stock").withWaitTime(Duration.ZERO);
			runner.run((parent) -> {
				LockTemplate locks = parent.getBean(LockTemplate.class);
				try (LockHandle held = locks.acquire(stock)) {
					runner.withParent(parent)
						.run((child) -> assertThat(child.getBean(LockTemplate.class)).isSameAs(locks));
					runner.run((other) -> assertThat(other.getBean(LockTemplate.class).tryAcquire(stock)).isEmpty());
					assertThat(held.isValid()).isTrue();
				}
				locks.acquire(stock).close();
			});
		}
	}

	@Test
	void commandsEndInTimeForTheLease() {
		this.contextRunner.withPropertyValues("interlock.redis.lease=6s", "spring.data.redis.timeout=1h")
			.run((context) -> assertThat(context.getBean(LockRedisConnections.class).factory())
				.extracting("clientConfiguration.commandTimeout")
				.hasToString("PT2S"));
	}

	@Test
	void misspelledPropertyFailsTheStart() {
		this.contextRunner.withPropertyValues("interlock.redis.leese=6s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(UnboundConfigurationPropertiesException.class)
				.hasMessageContaining("interlock.redis.leese"));
	}

	@Test
	void connectionsOfTheApplicationAreUsedOnRequest() {
		this.contextRunner.withPropertyValues("interlock.redis.dedicated-connection=false")
			.run((context) -> assertThat(context.getBean(LockRedisConnections.class).factory())
				.isSameAs(context.getBean(RedisConnectionFactory.class)));
	}

	@Test
	void serversOfTheApplicationAreUsed() {
		this.contextRunner.withPropertyValues("spring.data.redis.masterreplica.nodes=127.0.0.1:1,127.0.0.1:2")
			.run((context) -> assertThat(context.getBean(LockRedisConnections.class).factory())
				.extracting("configuration")
				.isNotNull()
				.isSameAs(new DirectFieldAccessor(context.getBean(RedisConnectionFactory.class))
					.getPropertyValue("configuration")));
	}

	@Test
	void worksWithoutCurator() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.apache.curator", "org.apache.zookeeper"))
			.run((context) -> assertThat(context).hasSingleBean(LeaseLockProvider.class));
	}

	@Test
	void anotherProviderIsLeftAlone() {
		this.contextRunner.withPropertyValues("interlock.provider=memory")
			.run((context) -> assertThat(context).hasSingleBean(InMemoryLockProvider.class)
				.doesNotHaveBean(LeaseLockProvider.class));
	}

	@Test
	void missingConnectionFactoryIsToldAtStartup() {
		this.withoutRedis.withPropertyValues("interlock.provider=redis")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.extracting("reason")
				.asString()
				.contains("spring.data.redis"));
	}

	@Test
	void lockWithoutReplicasToConfirmItIsUnavailable() {
		try (RedisServer server = RedisServer.start()) {
			this.contextRunner
				.withPropertyValues("spring.data.redis.port=" + server.port(), "interlock.redis.wait-replicas=1",
						"interlock.redis.wait-replicas-timeout=100ms", "interlock.when-unavailable=fail-fast")
				.run((context) -> {
					LockTemplate template = context.getBean(LockTemplate.class);
					assertThatExceptionOfType(LockServiceUnavailableException.class)
						.isThrownBy(() -> template.acquire(LockRequest.exclusive("stock")))
						.withMessageContaining("0 of 1 replicas confirmed the lock within 100 ms")
						.withMessageContaining("interlock.redis.wait-replicas");
				});
		}
	}

	@ParameterizedTest
	@CsvSource({ "interlock.redis.wait-replicas=-1, interlock.redis.wait-replicas",
			"interlock.redis.wait-replicas-timeout=0s, interlock.redis.wait-replicas-timeout",
			"interlock.redis.wait-replicas-timeout=3s, sixth of interlock.redis.lease" })
	void repliesOfReplicasHaveSoundLimits(String property, String reason) {
		this.contextRunner.withPropertyValues("interlock.redis.wait-replicas=1", property)
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining(reason));
	}

	@Test
	void waitForReplicasNeedsLettuce() {
		this.withoutRedis.withPropertyValues("interlock.provider=redis", "interlock.redis.wait-replicas=1")
			.withBean(RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("interlock.redis.wait-replicas")
				.hasStackTraceContaining("of Lettuce, the default client"));
	}

	@Test
	void valuesThatNeverWorkAreRefused() {
		this.contextRunner.withPropertyValues("interlock.redis.lease=10ms")
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("interlock.redis.lease"));
		this.contextRunner.withPropertyValues("interlock.redis.key-prefix={a}")
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("interlock.redis.key-prefix"));
	}

}

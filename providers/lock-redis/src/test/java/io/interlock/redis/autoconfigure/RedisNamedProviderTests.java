package io.interlock.redis.autoconfigure;

import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for Redis beside another store.
 */
@SuppressWarnings("try")
class RedisNamedProviderTests {

	private static final LockRequest ORDERS = LockRequest.exclusive("orders").withWaitTime(Duration.ZERO);

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(RedisLockAutoConfiguration.class, InterlockAutoConfiguration.class))
		.withPropertyValues("interlock.provider=memory", "interlock.providers.billing.provider=redis");

	@Test
	void locksAreKeptInMemoryAndInRedis() {
		try (RedisServer server = RedisServer.start()) {
			this.contextRunner.withUserConfiguration(BillingRedis.class)
				.withPropertyValues("test.port=" + server.port(), "interlock.providers.billing.bean=billingRedis",
						"interlock.providers.billing.key-prefix=bill:", "interlock.startup-timeout=30s")
				.run((context) -> {
					LockTemplate template = context.getBean(LockTemplate.class);
					LockRequest billed = ORDERS.withProvider("billing");
					try (LockHandle held = template.acquire(ORDERS); LockHandle other = template.acquire(billed)) {
						assertThat(server.command("KEYS", "bill:*")).isNotEmpty();
						Background.run(() -> assertThat(template.tryAcquire(billed)).isEmpty());
						Background.run(() -> assertThat(template.tryAcquire(ORDERS)).isEmpty());
					}
				});
		}
	}

	@Test
	void beanOfTheConnectionsIsRequired() {
		this.contextRunner.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
				assertThat(failure.getName()).isEqualTo("interlock.providers.billing.bean");
				assertThat(failure.getReason()).contains("RedisConnectionFactory");
			}));
	}

	@Configuration(proxyBeanMethods = false)
	static class BillingRedis {

		@Bean
		LettuceConnectionFactory billingRedis(Environment environment) {
			return new LettuceConnectionFactory("localhost", environment.getRequiredProperty("test.port", int.class));
		}

	}

}

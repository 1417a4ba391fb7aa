package io.interlock.redis.autoconfigure;

import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.actuate.endpoint.LocksAdminEndpointWebExtension;
import io.interlock.actuate.endpoint.LocksEndpoint;
import io.interlock.admin.LockContender;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockHealthContributorAutoConfiguration;
import io.interlock.autoconfigure.LockMetricsAutoConfiguration;
import io.interlock.autoconfigure.LocksEndpointAutoConfiguration;
import io.interlock.health.LeaseHealthIndicator;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.thread.Background;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for Redis beside another store.
 */
@ExtendWith(OutputCaptureExtension.class)
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

	@Test
	void onlyConnectionsAreUsed(CapturedOutput output) {
		try (RedisServer server = RedisServer.start()) {
			this.contextRunner.withUserConfiguration(BillingRedis.class)
				.withPropertyValues("test.port=" + server.port(), "interlock.startup-timeout=30s")
				.run((context) -> context.getBean(LockTemplate.class).acquire(ORDERS.withProvider("billing")).close());
		}
		assertThat(output).contains("Locks of provider 'billing' are kept in Redis at ");
	}

	@Test
	void oneOfSeveralConnectionsIsToBeNamed() {
		this.contextRunner.withUserConfiguration(BillingRedis.class)
			.withBean("auditRedis", LettuceConnectionFactory.class, () -> new LettuceConnectionFactory("localhost", 1))
			.withPropertyValues("test.port=1")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (failure) -> {
					assertThat(failure.getName()).isEqualTo("interlock.providers.billing.bean");
					assertThat(failure.getReason()).contains("RedisConnectionFactory", "[auditRedis, billingRedis]");
				}));
	}

	@Test
	void namedProviderIsWholeForOperatorsAtAnyInstance() {
		try (RedisServer server = RedisServer.start()) {
			ApplicationContextRunner instance = this.contextRunner
				.withConfiguration(AutoConfigurations.of(LocksEndpointAutoConfiguration.class,
						LockHealthContributorAutoConfiguration.class, LockMetricsAutoConfiguration.class))
				.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
				.withUserConfiguration(BillingRedis.class)
				.withPropertyValues("test.port=" + server.port(), "interlock.startup-timeout=30s",
						"management.endpoints.web.exposure.include=locks", "interlock.admin.enabled=true");
			instance.run((holder) -> instance.run((other) -> {
				LockHandle byDefault = holder.getBean(LockTemplate.class).acquire(ORDERS);
				LockHandle held = holder.getBean(LockTemplate.class).acquire(ORDERS.withProvider("billing"));
				LocksAdminEndpointWebExtension operators = other.getBean(LocksAdminEndpointWebExtension.class);
				assertThat(operators.locks("cluster", null, null, "billing", "true", null, null, null).getBody())
					.isInstanceOfSatisfying(LocksEndpoint.ClusterLocksDescriptor.class,
							(page) -> assertThat(page.locks()).singleElement()
								.satisfies((lock) -> assertThat(lock.holders()).extracting(LockContender::token)
									.containsExactly(held.fencingToken())));
				assertThat(operators
					.release(SecurityContext.NONE, new String[] { "cluster", "orders" }, null, null, null, "billing",
							Long.toString(held.fencingToken()))
					.getStatus()).isEqualTo(200);
				other.getBean(LockTemplate.class).acquire(ORDERS.withProvider("billing")).close();
				assertThat(byDefault.isValid()).isTrue();
				held.close();
				byDefault.close();
				assertThat(
						other.getBean("interlockProvidersHealthContributor", CompositeHealthContributor.class).stream())
					.singleElement()
					.satisfies((each) -> {
						assertThat(each.name()).isEqualTo("billing");
						assertThat(each.contributor()).isInstanceOfSatisfying(LeaseHealthIndicator.class,
								(indicator) -> assertThat(indicator.health().getStatus()).isEqualTo(Status.UP));
					});
				MeterRegistry registry = other.getBean(MeterRegistry.class);
				other.getBeansOfType(MeterBinder.class).values().forEach((binder) -> binder.bindTo(registry));
				assertThat(registry.get("interlock.connection")
					.tags("state", "connected", "provider", "billing")
					.gauge()
					.value()).isEqualTo(1);
				assertThat(registry.get("interlock.hold").tag("provider", "billing").timer().count()).isEqualTo(1);
			}));
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class BillingRedis {

		@Bean
		LettuceConnectionFactory billingRedis(Environment environment) {
			return new LettuceConnectionFactory("localhost", environment.getRequiredProperty("test.port", int.class));
		}

	}

}

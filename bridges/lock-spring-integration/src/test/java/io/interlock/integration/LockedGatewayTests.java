package io.interlock.integration;

import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.annotation.Gateway;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.gateway.GatewayProxyFactoryBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for a messaging gateway with an annotated interface, whose bean is a proxy of
 * Spring Integration.
 */
class LockedGatewayTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(InterlockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class))
		.withUserConfiguration(Application.class)
		.withPropertyValues("interlock.provider=memory");

	@Test
	void takesItsLock() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasNotFailed();
			Warehouse warehouse = context.getBean(Warehouse.class);
			LockGrant other = context.getBean(InMemoryLockProvider.class)
				.attempt(LockRequest.exclusive("stock").withKey("7"), LockCaller.current())
				.outcome()
				.join()
				.orElseThrow();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> warehouse.reserve("7"));
			assertThat(warehouse.reserve("8")).isEqualTo("reserved 8");
			other.release();
			assertThat(warehouse.reserve("7")).isEqualTo("reserved 7");
		});
	}

	interface Warehouse {

		@Gateway(requestChannel = "reservations.input")
		@DistributedLock(name = "stock", key = "#sku", waitTime = "0")
		String reserve(String sku);

	}

	@Configuration(proxyBeanMethods = false)
	@EnableIntegration
	static class Application {

		@Bean
		GatewayProxyFactoryBean<Warehouse> warehouse() {
			return new GatewayProxyFactoryBean<>(Warehouse.class);
		}

		@Bean
		IntegrationFlow reservations() {
			return (flow) -> flow.transform(String.class, (sku) -> "reserved " + sku);
		}

	}

}

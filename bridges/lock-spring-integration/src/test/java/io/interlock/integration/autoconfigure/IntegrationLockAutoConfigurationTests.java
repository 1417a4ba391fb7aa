package io.interlock.integration.autoconfigure;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.integration.InterlockLockRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link IntegrationLockAutoConfiguration}.
 */
class IntegrationLockAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(IntegrationLockAutoConfiguration.class, InterlockAutoConfiguration.class))
		.withPropertyValues("interlock.provider=memory");

	@Test
	void registryIsThere() {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(InterlockLockRegistry.class));
	}

	@Test
	void registryOfTheApplicationIsKept() {
		this.contextRunner.withUserConfiguration(OwnRegistry.class)
			.run((context) -> assertThat(context).hasSingleBean(LockRegistry.class)
				.doesNotHaveBean(InterlockLockRegistry.class));
	}

	@Test
	void registryIsAbsentWithoutLocks() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(IntegrationLockAutoConfiguration.class))
			.run((context) -> assertThat(context).doesNotHaveBean(LockRegistry.class));
	}

	@Test
	void registryIsAbsentWithoutSpringIntegration() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springframework.integration"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("interlockLockRegistry"));
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnRegistry {

		@Bean
		DefaultLockRegistry lockRegistry() {
			return new DefaultLockRegistry();
		}

	}

}

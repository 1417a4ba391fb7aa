package io.interlock.shedlock.autoconfigure;

import java.util.Optional;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.shedlock.InterlockLockProvider;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ShedLockAutoConfiguration}.
 */
class ShedLockAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ShedLockAutoConfiguration.class, InterlockAutoConfiguration.class))
		.withPropertyValues("interlock.provider=memory");

	@Test
	void providerIsThere() {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(InterlockLockProvider.class));
	}

	@Test
	void providerOfTheApplicationIsKept() {
		this.contextRunner.withUserConfiguration(OwnProvider.class)
			.run((context) -> assertThat(context).hasSingleBean(LockProvider.class)
				.doesNotHaveBean(InterlockLockProvider.class));
	}

	@Test
	void providerIsAbsentWithoutLocks() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(ShedLockAutoConfiguration.class))
			.run((context) -> assertThat(context).doesNotHaveBean(LockProvider.class));
	}

	@Test
	void providerIsAbsentWithoutShedLock() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("net.javacrumbs.shedlock"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("interlockShedLockProvider"));
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnProvider {

		@Bean
		LockProvider ownLockProvider() {
			return (configuration) -> Optional.empty();
		}

	}

}

package io.interlock.autoconfigure;

import io.interlock.observation.LockObservationConvention;
import io.interlock.observation.ObservationLockListener;
import io.interlock.template.LockOperations;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockObservationAutoConfiguration}.
 */
class LockObservationAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockObservationAutoConfiguration.class))
		.withBean(LockOperations.class, () -> mock(LockOperations.class));

	@Test
	void observesWhereTheApplicationObserves() {
		this.contextRunner.withBean(ObservationRegistry.class, ObservationRegistry::create)
			.run((context) -> assertThat(context).hasSingleBean(ObservationLockListener.class));
	}

	@Test
	void usesTheConventionOfTheApplication() {
		this.contextRunner.withBean(ObservationRegistry.class, ObservationRegistry::create)
			.withBean(LockObservationConvention.class, () -> mock(LockObservationConvention.class))
			.run((context) -> assertThat(context.getBean(ObservationLockListener.class))
				.hasFieldOrPropertyWithValue("convention", context.getBean(LockObservationConvention.class)));
	}

	@Test
	void backsOffWithoutARegistry() {
		this.contextRunner.run((context) -> assertThat(context).doesNotHaveBean(ObservationLockListener.class));
	}

	@Test
	void backsOffWhenItIsSwitchedOff() {
		this.contextRunner.withBean(ObservationRegistry.class, ObservationRegistry::create)
			.withPropertyValues("interlock.observations.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(ObservationLockListener.class));
	}

	@Test
	void backsOffWithoutMicrometer() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(ObservationRegistry.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ObservationLockListener.class));
	}

}

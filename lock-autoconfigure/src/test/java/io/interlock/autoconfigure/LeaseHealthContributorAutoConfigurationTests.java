package io.interlock.autoconfigure;

import java.time.Duration;

import io.interlock.health.LeaseHealthIndicator;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseStore;
import io.interlock.lease.LeaseStoreAddress;
import io.interlock.lease.LeaseStoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockHealthContributorAutoConfiguration}.
 */
class LeaseHealthContributorAutoConfigurationTests {

	private final LeaseStore store = mock(LeaseStore.class);

	private final ApplicationContextRunner withoutStore = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockHealthContributorAutoConfiguration.class,
				HealthContributorRegistryAutoConfiguration.class));

	private final ApplicationContextRunner contextRunner = this.withoutStore.withBean(LeaseLockProvider.class,
			() -> new LeaseLockProvider(this.store, new LeaseSettings("test", Duration.ofSeconds(15),
					Duration.ofMillis(50), Duration.ofSeconds(1), 1, false)));

	@Test
	void contributesUnderTheNameInterlock() {
		this.contextRunner
			.run((context) -> assertThat(context.getBean(HealthContributorRegistry.class).getContributor("interlock"))
				.isInstanceOf(LeaseHealthIndicator.class));
	}

	@Test
	void followsTheStore() {
		given(this.store.address()).willReturn(new LeaseStoreAddress("Teststore", "there", "locks", "test.address"));
		willThrow(LeaseStoreException.passing("the test fails", null)).willDoNothing().given(this.store).check();
		this.contextRunner.run((context) -> {
			LeaseHealthIndicator indicator = context.getBean(LeaseHealthIndicator.class);
			Health down = indicator.health();
			assertThat(down.getStatus()).isEqualTo(Status.DOWN);
			assertThat(down.getDetails()).containsEntry("store", "Teststore")
				.containsEntry("address", "there")
				.containsEntry("failure", "the test fails");
			assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "interlockHealthIndicator", "interlockHealthContributor" })
	void leavesTheNameToAnotherContributor(String beanName) {
		HealthIndicator other = () -> Health.up().build();
		this.contextRunner.withBean(beanName, HealthIndicator.class, () -> other)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaseHealthIndicator.class));
	}

	@Test
	void backsOffWithoutStoreOfLeases() {
		this.withoutStore.run((context) -> assertThat(context).doesNotHaveBean(LeaseHealthIndicator.class));
	}

	@Test
	void backsOffIfDisabled() {
		this.contextRunner.withPropertyValues("management.health.interlock.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(LeaseHealthIndicator.class));
	}

	@Test
	void backsOffWithoutHealthSupport() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LockHealthContributorAutoConfiguration.class))
			.withBean(LeaseLockProvider.class, () -> mock(LeaseLockProvider.class))
			.withClassLoader(new FilteredClassLoader(ConditionalOnEnabledHealthIndicator.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("interlockHealthContributor"));
	}

}

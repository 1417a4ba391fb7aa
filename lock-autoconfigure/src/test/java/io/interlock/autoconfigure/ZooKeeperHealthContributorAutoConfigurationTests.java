package io.interlock.autoconfigure;

import java.time.Instant;

import io.interlock.health.ZooKeeperHealthIndicator;
import io.interlock.zookeeper.SessionSnapshot;
import io.interlock.zookeeper.ZooKeeperSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockHealthContributorAutoConfiguration}.
 */
class ZooKeeperHealthContributorAutoConfigurationTests {

	private static final ZooKeeperSession SESSION = () -> new SessionSnapshot(SessionSnapshot.State.CONNECTED,
			Instant.EPOCH, null, null, null, false);

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockHealthContributorAutoConfiguration.class,
				HealthContributorRegistryAutoConfiguration.class));

	private final ApplicationContextRunner connectedRunner = this.contextRunner.withBean(ZooKeeperSession.class,
			() -> SESSION);

	@Test
	void contributesUnderTheNameZookeeper() {
		this.connectedRunner
			.run((context) -> assertThat(context.getBean(HealthContributorRegistry.class).getContributor("zookeeper"))
				.isInstanceOf(ZooKeeperHealthIndicator.class));
	}

	@Test
	void tellsTheStateOfTheSession() {
		this.connectedRunner
			.run((context) -> assertThat(context.getBean(ZooKeeperHealthIndicator.class).health().getDetails())
				.containsEntry("state", SessionSnapshot.State.CONNECTED)
				.containsEntry("store", "ZooKeeper"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "zookeeperHealthIndicator", "zookeeperHealthContributor" })
	void leavesTheNameToAnotherContributor(String beanName) {
		HealthIndicator other = () -> Health.up().build();
		this.connectedRunner.withBean(beanName, HealthIndicator.class, () -> other).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(ZooKeeperHealthIndicator.class);
			assertThat(context.getBean(HealthContributorRegistry.class).getContributor("zookeeper")).isSameAs(other);
		});
	}

	@Test
	void backsOffWithoutASession() {
		this.contextRunner.run((context) -> assertThat(context).doesNotHaveBean(ZooKeeperHealthIndicator.class));
	}

	@Test
	void backsOffIfDisabled() {
		this.connectedRunner.withPropertyValues("management.health.zookeeper.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(ZooKeeperHealthIndicator.class));
	}

	@Test
	void backsOffIfHealthIsDisabledByDefault() {
		this.connectedRunner.withPropertyValues("management.health.defaults.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(ZooKeeperHealthIndicator.class));
	}

	@Test
	void backsOffWithoutHealthSupport() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LockHealthContributorAutoConfiguration.class))
			.withBean(ZooKeeperSession.class, () -> SESSION)
			.withClassLoader(new FilteredClassLoader(ConditionalOnEnabledHealthIndicator.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("zookeeperHealthContributor"));
	}

}

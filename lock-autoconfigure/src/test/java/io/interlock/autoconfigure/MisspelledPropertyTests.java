package io.interlock.autoconfigure;

import java.util.Locale;
import java.util.Map;
import java.util.Objects;

import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.zookeeper.ZooKeeperProperties;
import io.interlock.autoconfigure.web.LockWebAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A property that does not exist fails the start, and Spring Boot says which one it is.
 */
class MisspelledPropertyTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class,
				LockAnnotationsAutoConfiguration.class, LockWebAutoConfiguration.class, AopAutoConfiguration.class))
		.withBean(Shop.class)
		.withPropertyValues("interlock.provider=memory");

	@ParameterizedTest
	@ValueSource(strings = { "interlock.locks.stock.wait-tme", "interlock.locks.stock.onContenton",
			"interlock.locks.eu.stock.wait-time", "interlock.queue.max-tenur", "interlock.annotations.ordr",
			"interlock.events.enable", "interlock.logging.mcd", "interlock.observations.metric",
			"interlock.transactions.verify-before", "interlock.admin.enable", "interlock.web.lost-state",
			"interlock.zookeeper.conect-string", "interlock.zookeeper.retry.max-retrys",
			"interlock.zookeeper.locks.stock.peer" })
	void failsTheStartAndIsNamed(String property) {
		this.runner.withUserConfiguration(ZooKeeperPropertiesConfiguration.class)
			.withPropertyValues(property + "=5s")
			.run((context) -> {
				assertThat(context).hasFailed();
				assertThat(analysis(context.getStartupFailure()).getDescription())
					.contains("Property: " + property.toLowerCase(Locale.ROOT))
					.contains("Origin: \"" + property + "\" from property source \"test\"")
					.contains("left unbound");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "interlock.locks.stock.wait-time=5s", "interlock.locks.stock.waitTime=5s",
			"interlock.locks.[eu.stock].wait-time=5s", "interlock.locks.[price/list].wait-time=5s",
			"interlock.locks.any.enabled=false", "interlock.defaultWaitTime=5s", "interlock.default_wait_time=5s",
			"interlock.queue.max-tenure=5s", "interlock.annotations.order=5", "interlock.admin.enabled=true",
			"interlock.observations.metrics=true", "interlock.transactions.verify-before-commit=none",
			"interlock.logging.mdc=false", "interlock.events.enabled=false", "interlock.web.order=5" })
	void propertyThatExistsDoesNot(String property) {
		this.runner.withPropertyValues(property).run((context) -> assertThat(context).hasNotFailed());
	}

	/** Nothing is bound that could know them. */
	@ParameterizedTest
	@ValueSource(strings = { "interlock.zookeeper.connect-string=a:1", "interlock.zookeeper.anything=1",
			"interlock.jdbc.lease=5s", "interlock.redis.lease=5s" })
	void propertyOfAnAbsentModuleDoesNot(String property) {
		this.runner.withPropertyValues(property).run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(strings = { "interlock.defualt-wait-time=5s", "interlock.qeue.max-tenure=5s" })
	void propertyBesideTheGroupsIsIgnored(String property) {
		this.runner.withPropertyValues(property).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void environmentVariablesAreNotJudged() {
		Map<String, Object> variables = Map.of("INTERLOCK_SERVICE_HOST", "10.0.0.1", "INTERLOCK_PORT_8080_TCP",
				"tcp://10.0.0.1:8080", "INTERLOCK_QUEUE_PORT_80", "80", "INTERLOCK_LOCKS_STOCK_WAITTIME", "5s");
		this.runner
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
						new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
								variables)))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(InterlockProperties.Locks.class)).containsOnlyKeys("stock");
			});
	}

	@Test
	void systemPropertiesAreNotJudged() {
		this.runner.withSystemProperties("interlock.queue.max-tenur=5s")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private static FailureAnalysis analysis(Throwable failure) {
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, SpringFactoriesLoader.FailureHandler.handleMessage((message, cause) -> {
				// Some analyzers want a bean factory.
			}))
			.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter(Objects::nonNull)
			.findFirst()
			.orElseThrow();
	}

	static class Shop {

		@DistributedLock("stock")
		public void stock() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(ZooKeeperProperties.class)
	static class ZooKeeperPropertiesConfiguration {

	}

}

package io.interlock.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.DistributedSemaphore;
import io.interlock.annotation.ReadLock;
import io.interlock.annotation.WriteLock;
import io.interlock.autoconfigure.web.LockWebAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperProperties;
import io.interlock.interceptor.WaitTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.test.context.assertj.AssertableWebApplicationContext;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.util.StreamUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A duration without a unit is refused wherever one is written.
 */
class DurationsWithoutUnitTests {

	private static final String REFUSAL = "The time '5' has no unit. Write a number and a unit, such as '500ms' or '5s'";

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class,
				LockAnnotationsAutoConfiguration.class, LockWebAutoConfiguration.class, AopAutoConfiguration.class))
		.withUserConfiguration(OtherProperties.class)
		.withBean(Shop.class)
		.withSystemProperties("interlock.try-timeout=", "interlock.zookeeper.operator-timeout=")
		.withPropertyValues("interlock.provider=memory");

	/**
	 * Return all properties that are durations, as the metadata of this module tells
	 * them, and those of one lock.
	 */
	static Stream<String> properties() throws IOException {
		try (InputStream metadata = new ClassPathResource("META-INF/spring-configuration-metadata.json")
			.getInputStream()) {
			String json = StreamUtils.copyToString(metadata, StandardCharsets.UTF_8);
			List<?> properties = (List<?>) JsonParserFactory.getJsonParser().parseMap(json).get("properties");
			List<String> types = List.of(Duration.class.getName(), WaitTime.class.getName());
			return Stream.concat(
					properties.stream()
						.map((property) -> (Map<?, ?>) property)
						.filter((property) -> types.contains(property.get("type")))
						.map((property) -> property.get("name").toString())
						.filter((name) -> name.startsWith("interlock.")),
					Stream.of("interlock.locks.stock.wait-time", "interlock.locks[eu.stock].linger"));
		}
	}

	@Test
	void allPropertiesAreTested() throws IOException {
		assertThat(properties()).hasSizeGreaterThan(12)
			.contains("interlock.default-wait-time", "interlock.try-timeout", "interlock.queue.linger",
					"interlock.web.retry-after", "interlock.zookeeper.operator-timeout");
	}

	@ParameterizedTest
	@MethodSource("properties")
	void propertyIsRefused(String property) {
		this.runner.withPropertyValues(property + "=5").run((context) -> isRefused(context, property));
	}

	@Test
	void whatAPlaceholderStandsForIsRefused() {
		this.runner.withPropertyValues("interlock.verify-timeout=${shop.time}", "shop.time= 5 ")
			.run((context) -> isRefused(context, "interlock.verify-timeout"));
	}

	@Test
	void numberOfAFileInYamlIsRefused() {
		this.runner
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("yaml", Map.of("interlock.verify-timeout", 5))))
			.run((context) -> isRefused(context, "interlock.verify-timeout"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "interlock.default-wait-time", "interlock.release-timeout", "interlock.startup-timeout",
			"interlock.shutdown-timeout", "interlock.queue.max-tenure", "interlock.queue.linger",
			"interlock.locks.stock.wait-time", "interlock.locks.stock.linger", "interlock.web.retry-after" })
	void zeroNeedsNoUnit(String property) {
		this.runner.withPropertyValues(property + "=0").run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void durationOfAnotherPropertyIsMilliseconds() {
		this.runner.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=5")
			.run((context) -> assertThat(context.getBean(LifecycleProperties.class).getTimeoutPerShutdownPhase())
				.isEqualTo(Duration.ofMillis(5)));
	}

	@ParameterizedTest
	@CsvSource({ "lock.wait, waitTime", "lock.max, maxHold", "lock.min, minHold", "read.wait, waitTime",
			"read.max, maxHold", "read.min, minHold", "write.wait, waitTime", "write.max, maxHold",
			"write.min, minHold", "permit.wait, waitTime", "permit.max, maxHold", "permit.min, minHold" })
	void attributeIsRefused(String placeholder, String attribute) {
		this.runner.withPropertyValues(placeholder + "=5").run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure())
				.hasStackTraceContaining("In '%s': The time '5' has no unit.".formatted(attribute))
				.hasStackTraceContaining("Write a number and a unit, such as '500ms' or '5s'");
		});
	}

	private static void isRefused(AssertableWebApplicationContext context, String property) {
		assertThat(context).hasFailed();
		assertThat(context.getStartupFailure()).hasStackTraceContaining(property).hasStackTraceContaining(REFUSAL);
	}

	static class Shop {

		@DistributedLock(name = "lock", waitTime = "${lock.wait:}", maxHold = "${lock.max:}", minHold = "${lock.min:}")
		void lock() {
		}

		@ReadLock(name = "read", waitTime = "${read.wait:}", maxHold = "${read.max:}", minHold = "${read.min:}")
		void read() {
		}

		@WriteLock(name = "write", waitTime = "${write.wait:}", maxHold = "${write.max:}", minHold = "${write.min:}")
		void write() {
		}

		@DistributedSemaphore(name = "permit", permits = "2", waitTime = "${permit.wait:}", maxHold = "${permit.max:}",
				minHold = "${permit.min:}")
		void permit() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties({ ZooKeeperProperties.class, LifecycleProperties.class })
	static class OtherProperties {

	}

}

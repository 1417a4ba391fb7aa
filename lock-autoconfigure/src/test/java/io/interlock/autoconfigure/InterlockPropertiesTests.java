package io.interlock.autoconfigure;

import java.time.Duration;

import io.interlock.LockRequest;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.interceptor.WaitTime;
import io.interlock.interceptor.UnproxiedBeans;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for {@link InterlockProperties}.
 */
class InterlockPropertiesTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withUserConfiguration(PropertiesConfiguration.class);

	@Test
	void hasDefaults() {
		this.contextRunner.withSystemProperties("interlock.try-timeout=").run((context) -> {
			InterlockProperties properties = context.getBean(InterlockProperties.class);
			assertThat(properties.enabled()).isTrue();
			assertThat(properties.provider()).isNull();
			assertThat(properties.defaultWaitTime().duration()).isEqualTo(Duration.ofSeconds(10));
			assertThat(properties.instanceId()).isNull();
			assertThat(properties.tryTimeout()).isEqualTo(Duration.ofSeconds(1));
			assertThat(properties.releaseTimeout()).isZero();
			assertThat(properties.verifyTimeout()).isEqualTo(Duration.ofSeconds(5));
			assertThat(properties.leakDetection()).isFalse();
			assertThat(context.getBean(InterlockProperties.Locks.class)).isEmpty();
			assertThat(context.getBean(InterlockProperties.Annotations.class))
				.isEqualTo(new InterlockProperties.Annotations(true, 2147483547, UnproxiedBeans.Policy.FAIL));
			assertThat(context.getBean(InterlockProperties.Queue.class))
				.isEqualTo(new InterlockProperties.Queue(true, Duration.ofMillis(50), null, Duration.ZERO));
		});
	}

	@Test
	void bindsOverridesOfOneLock() {
		this.contextRunner
			.withPropertyValues("interlock.locks.orders.wait-time=30s", "interlock.locks.orders.on-contention=skip",
					"interlock.locks.orders.enabled=false", "interlock.locks.orders.queue-enabled=false",
					"interlock.locks.orders.linger=2s", "interlock.locks.orders.fence=true")
			.run((context) -> assertThat(context.getBean(InterlockProperties.Locks.class)).containsOnlyKeys("orders")
				.containsValue(new InterlockProperties.Lock(WaitTime.of("30s"), ContentionPolicy.SKIP, false, false,
						Duration.ofSeconds(2), true)));
	}

	@Test
	void overridesOfOneLockHaveDefaults() {
		this.contextRunner.withPropertyValues("interlock.locks.orders.wait-time=30s")
			.run((context) -> assertThat(context.getBean(InterlockProperties.Locks.class))
				.containsValue(new InterlockProperties.Lock(WaitTime.of("30s"), null, true, null, null, null)));
	}

	@Test
	void bindsNamesWithSpecialCharactersInBrackets() {
		this.contextRunner
			.withPropertyValues("interlock.locks[a.b].wait-time=forever", "interlock.locks[stock/eu 1].enabled=false",
					"interlock.locks.priceChange.queue-enabled=true")
			.run((context) -> {
				InterlockProperties.Locks locks = context.getBean(InterlockProperties.Locks.class);
				assertThat(locks).containsOnlyKeys("a.b", "stock/eu 1", "priceChange");
				assertThat(locks.get("a.b").waitTime()).isEqualTo(WaitTime.of("forever"));
			});
	}

	@Test
	void bindsForeverAsDefaultWaitTime() {
		this.contextRunner.withPropertyValues("interlock.default-wait-time=forever")
			.run((context) -> assertThat(context.getBean(InterlockProperties.class).defaultWaitTime().duration())
				.isEqualTo(LockRequest.FOREVER));
	}

	@ParameterizedTest
	@CsvSource({ "interlock.default-wait-time", "interlock.locks.orders.wait-time", "interlock.locks[a.b].wait-time" })
	void namesPropertyOfWaitTimeWithoutUnit(String property) {
		this.contextRunner.withPropertyValues(property + "=5")
			.run((context) -> assertThat(context).getFailure()
				.satisfies((failure) -> assertThat(failure).hasStackTraceContaining(property)
					.hasStackTraceContaining("'5' has no unit. Write a number and a unit")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "5", "soon", "5parsecs", "-5s" })
	@ExtendWith(OutputCaptureExtension.class)
	void failureOfTheStartShowsHowToWriteAWaitTime(String value, CapturedOutput output) {
		SpringApplication application = new SpringApplication(PropertiesConfiguration.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		assertThatException().isThrownBy(() -> application.run("--interlock.default-wait-time=" + value));
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("'%s'".formatted(value))
			.contains("Write a number and a unit, such as '500ms' or '5s'");
	}

	@ParameterizedTest
	@CsvSource({ "try-timeout, 0s", "try-timeout, -1s", "verify-timeout, 0s", "release-timeout, -1s",
			"startup-timeout, -1s", "instance-id, ' '", "queue.max-tenure, -1ms", "queue.max-waiting, 0",
			"queue.linger, -1s", "locks.orders.linger, -1s" })
	void refusesImpossibleValue(String property, String value) {
		this.contextRunner.withPropertyValues("interlock." + property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContaining("interlock." + property));
	}

	@Test
	void overridesOfOneLockAreBoundInNativeImages() {
		RuntimeHints hints = new RuntimeHints();
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, InterlockProperties.Locks.class);
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(InterlockProperties.Lock.class)
			.withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)).accepts(hints);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties({ InterlockProperties.class, InterlockProperties.Locks.class,
			InterlockProperties.Queue.class, InterlockProperties.Annotations.class })
	static class PropertiesConfiguration {

	}

}

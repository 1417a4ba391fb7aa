package io.interlock.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.interlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link UnknownPropertyCheck}.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnknownPropertyCheckTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class,
				LockAnnotationsAutoConfiguration.class, AopAutoConfiguration.class))
		.withBean(Shop.class)
		.withPropertyValues("interlock.provider=memory");

	@ParameterizedTest
	@CsvSource({ "interlock.locks.stock.wait-tme, interlock.locks.stock.wait-time",
			"interlock.locks.stock.onContenton, interlock.locks.stock.on-contention",
			"interlock.locks.eu.stock.wait-time, interlock.locks.[eu.stock].wait-time",
			"interlock.locks.us.stock.wait-time, interlock.locks.[us.stock].wait-time",
			"interlock.locks.eu.stock.wait-tme, interlock.locks.[eu.stock].wait-time",
			"interlock.defualt-wait-time, interlock.default-wait-time",
			"interlock.queue.max-tenur, interlock.queue.max-tenure",
			"interlock.qeue.max-tenure, interlock.queue.max-tenure",
			"interlock.zookeper.connect-string, interlock.zookeeper.connect-string" })
	void warnsOfPropertyThatDoesNotExist(String typo, String meant, CapturedOutput output) {
		assertThat(warnings(output, typo + "=5s")).singleElement()
			.asString()
			.contains(typo)
			.contains("has no effect")
			.contains("Did you mean '" + meant + "'?");
	}

	@Test
	void saysWhichPropertiesExistAndWhereTheOtherOneIs(CapturedOutput output) {
		assertThat(warnings(output, "interlock.locks.stock.wait-tme=5s")).singleElement()
			.asString()
			.contains("enabled, linger, on-contention, queue-enabled, wait-time")
			.contains("property source \"test\"");
	}

	@Test
	void warnsOfPropertyThatResemblesNone(CapturedOutput output) {
		assertThat(warnings(output, "interlock.timeouts-of-everything=5s")).singleElement()
			.asString()
			.contains("default-wait-time")
			.doesNotContain("Did you mean");
	}

	@ParameterizedTest
	@CsvSource({ "interlock.locks.stokc.wait-time, interlock.locks.stock",
			"interlock.locks.stocks.wait-time, interlock.locks.stock",
			"interlock.locks.[eu.stokc].wait-time, interlock.locks.[eu.stock]",
			"interlock.locks.price/list.wait-time, interlock.locks.[price/list]",
			"interlock.locks.priceList.wait-time, interlock.locks.[price/list]" })
	void warnsOfLockWhoseNameIsAlmostThatOfAMethod(String property, String meant, CapturedOutput output) {
		assertThat(warnings(output, property + "=5s", property.replace("wait-time", "enabled") + "=true"))
			.singleElement()
			.asString()
			.contains("Did you mean '" + meant + "'?")
			.contains("eu.stock, import-1, price/list, stock");
	}

	@ParameterizedTest
	@ValueSource(strings = { "interlock.locks.stock.wait-time=5s", "interlock.locks.stock.waitTime=5s",
			"interlock.locks.[eu.stock].wait-time=5s", "interlock.locks.[price/list].wait-time=5s",
			"interlock.defaultWaitTime=5s", "interlock.default_wait_time=5s", "interlock.queue.max-tenure=5s",
			"interlock.annotations.order=5", "interlock.admin.enabled=true" })
	void isSilentAboutPropertyThatExists(String property, CapturedOutput output) {
		assertThat(warnings(output, property)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "invoices", "s", "stock-of-the-warehouse", "import-2" })
	void isSilentAboutLockThatOnlyCodeMayKnow(String name, CapturedOutput output) {
		assertThat(warnings(output, "interlock.locks." + name + ".wait-time=5s")).isEmpty();
	}

	@Test
	void isSilentWhereBothNamesAreConfigured(CapturedOutput output) {
		assertThat(warnings(output, "interlock.locks.stock.wait-time=5s", "interlock.locks.stocks.wait-time=5s"))
			.isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "interlock.zookeeper.connect-string=a:1", "interlock.zookeeper.anything=1",
			"interlock.jdbc.lease=5s", "interlock.redis.lease=5s", "interlock.web.enabled=true" })
	void isSilentAboutWhatIsNotBound(String property, CapturedOutput output) {
		assertThat(warnings(output, property)).isEmpty();
	}

	@Test
	void isSilentAboutEnvironmentVariables(CapturedOutput output) {
		Map<String, Object> variables = Map.of("INTERLOCK_SERVICE_HOST", "10.0.0.1", "INTERLOCK_PORT_8080_TCP",
				"tcp://10.0.0.1:8080", "INTERLOCK_DEFAULT_WAIT_TIME", "5s", "INTERLOCK_LOCKS_STOKC_WAITTIME", "5s");
		ApplicationContextRunner inContainer = this.runner.withInitializer((context) -> context.getEnvironment()
			.getPropertySources()
			.replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, new SystemEnvironmentPropertySource(
					StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables)));
		assertThat(warnings(inContainer, output)).isEmpty();
	}

	@Test
	void warnsOfSystemProperty(CapturedOutput output) {
		assertThat(warnings(this.runner.withSystemProperties("interlock.defualt-wait-time=5s"), output)).singleElement()
			.asString()
			.contains("systemProperties");
	}

	@Test
	void isSilentAboutSystemPropertyThatResemblesNone(CapturedOutput output) {
		assertThat(warnings(this.runner.withSystemProperties("interlock.docker=required"), output)).isEmpty();
	}

	@Test
	void isSilentAboutLocksWithoutAnnotatedMethods(CapturedOutput output) {
		assertThat(warnings(this.runner.withPropertyValues("interlock.annotations.enabled=false",
				"interlock.locks.stokc.wait-time=5s"), output))
			.isEmpty();
	}

	private List<String> warnings(CapturedOutput output, String... properties) {
		return warnings(this.runner.withPropertyValues(properties), output);
	}

	private static List<String> warnings(ApplicationContextRunner runner, CapturedOutput output) {
		runner.run((context) -> assertThat(context).hasNotFailed());
		return Arrays.stream(output.toString().split("\\R"))
			.filter((line) -> line.contains("WARN") && line.contains("UnknownPropertyCheck"))
			.toList();
	}

	static class Shop {

		@DistributedLock("stock")
		public void stock() {
		}

		@DistributedLock("eu.stock")
		public void stockOfEurope() {
		}

		@DistributedLock("price/list")
		public void prices() {
		}

		@DistributedLock("import-1")
		public void importFirst() {
		}

	}

}

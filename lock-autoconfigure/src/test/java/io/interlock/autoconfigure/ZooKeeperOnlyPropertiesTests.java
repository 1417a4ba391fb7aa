package io.interlock.autoconfigure;

import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ZooKeeperOnlyProperties}.
 */
@ExtendWith(OutputCaptureExtension.class)
class ZooKeeperOnlyPropertiesTests {

	private static final String SECRET = "0123456789abcdef0123456789abcdef";

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class));

	@Test
	void oneWarningNamesThemAll(CapturedOutput output) {
		assertThat(warnings(output, "interlock.provider=memory", "interlock.zookeeper.lock-data=minimal",
				"interlock.zookeeper.password=" + SECRET, "interlock.admin.enabled=true",
				"interlock.zookeeper.acl=creator-all", "interlock.zookeeper.requireSecure=true",
				"interlock.zookeeper.locks.[eu.stock].peers=mutex", "interlock.queue.max-tenure=1s"))
			.singleElement()
			.asString()
			.contains("interlock.provider=memory", "interlock.zookeeper.lock-data", "interlock.zookeeper.password",
					"interlock.zookeeper.acl", "interlock.zookeeper.requiresecure",
					"interlock.zookeeper.locks[eu.stock].peers")
			.doesNotContain("max-tenure", "interlock.admin", SECRET);
	}

	@Test
	void environmentVariablesOfPlatformsDoNotCount(CapturedOutput output) {
		Map<String, Object> variables = Map.of("INTERLOCK_ZOOKEEPER_SERVICE_HOST", "10.0.0.1");
		ApplicationContextRunner inContainer = this.runner.withInitializer((context) -> context.getEnvironment()
			.getPropertySources()
			.replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, new SystemEnvironmentPropertySource(
					StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables)));
		assertThat(warnings(
				inContainer.withPropertyValues("interlock.provider=memory", "interlock.zookeeper.acl=creator-all"),
				output))
			.singleElement()
			.asString()
			.contains("interlock.zookeeper.acl")
			.doesNotContain("host");
	}

	@ParameterizedTest
	@ValueSource(strings = { "interlock.provider=zookeeper", "interlock.enabled=false" })
	void isSilentWhereTheyHaveAnEffectOrNothingHas(String property, CapturedOutput output) {
		assertThat(warnings(output, property, "interlock.zookeeper.acl=open", "interlock.zookeeper.lock-data=full"))
			.isEmpty();
	}

	private List<String> warnings(CapturedOutput output, String... properties) {
		return warnings(this.runner.withPropertyValues(properties), output);
	}

	private static List<String> warnings(ApplicationContextRunner runner, CapturedOutput output) {
		runner.run((context) -> assertThat(context).hasNotFailed());
		return output.toString()
			.lines()
			.filter((line) -> line.contains("WARN") && line.contains("ZooKeeperOnlyProperties"))
			.toList();
	}

}

package io.interlock.jdbc.autoconfigure;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the properties of a database that locks do not come from.
 */
class UnusedJdbcPropertiesTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JdbcLockAutoConfiguration.class, InterlockAutoConfiguration.class))
		.withPropertyValues("interlock.provider=memory");

	@Test
	void misspelledOneFailsTheStart() {
		this.contextRunner.withPropertyValues("interlock.jdbc.pol-size=3")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(UnboundConfigurationPropertiesException.class,
						(failure) -> assertThat(failure.getUnboundProperties()).singleElement()
							.satisfies((unknown) -> assertThat(unknown.getName())
								.hasToString("interlock.jdbc.pol-size"))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "interlock.jdbc.pool-size=3", "interlock.jdbc.poolSize=3", "interlock.jdbc.notify=true",
			"interlock.jdbc.pool-size=-3", "interlock.jdbc.lease=soon" })
	void rightOneDoesNot(String property) {
		this.contextRunner.withPropertyValues(property).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void variableOfAPlatformDoesNot() {
		this.contextRunner.withSystemProperties("interlock.jdbc.pol-size=3")
			.run((context) -> assertThat(context).hasNotFailed());
	}

}

package io.interlock.sample.show.fault;

import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the profiles in which visitors may break things.
 */
class ControlsTests {

	@Test
	void areThereOutOfTheBox() {
		assertThat(controls()).isTrue();
	}

	@Test
	void areThereOnAJoinedInstance() {
		assertThat(controls("join")).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "production", "cloud" })
	void areNotThereWithAnyOtherProfile(String profile) {
		assertThat(controls(profile)).isFalse();
	}

	private static boolean controls(String... profiles) {
		MockEnvironment environment = new MockEnvironment();
		ConfigDataEnvironmentPostProcessor.applyTo(environment, null, null, List.of(profiles));
		return Boolean.parseBoolean(Objects.requireNonNull(environment.getProperty("sample.controls")));
	}

}

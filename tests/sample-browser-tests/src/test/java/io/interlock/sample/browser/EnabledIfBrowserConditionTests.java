package io.interlock.sample.browser;

import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link EnabledIfBrowserCondition}.
 */
@Deep
@ExtendWith(OutputCaptureExtension.class)
class EnabledIfBrowserConditionTests {

	private static final String PROPERTY = "interlock.browser";

	private String before;

	@BeforeEach
	void remember() {
		this.before = System.getProperty(PROPERTY, "optional");
		System.setProperty(PROPERTY, "optional");
	}

	@AfterEach
	void restore() {
		System.setProperty(PROPERTY, this.before);
	}

	@Test
	void runsWithBrowserAndDriver() {
		assertThat(EnabledIfBrowserCondition.evaluate(true, true, "Some test").isDisabled()).isFalse();
	}

	@Test
	void skipsInOneLineWithoutBrowser(CapturedOutput output) {
		assertThat(EnabledIfBrowserCondition.evaluate(false, true, "Some test").isDisabled()).isTrue();
		assertThat(output).containsOnlyOnce("SKIPPED Some test: no Chromium is installed");
	}

	@Test
	void saysHowToGetTheDriver(CapturedOutput output) {
		assertThat(EnabledIfBrowserCondition.evaluate(true, false, "Some test").isDisabled()).isTrue();
		assertThat(output)
			.containsOnlyOnce("SKIPPED Some test: no driver for Chromium, -Dinterlock.browser=required brings it");
	}

	@Test
	void failsWithoutBrowserThatIsRequired() {
		System.setProperty(PROPERTY, "required");
		assertThatIllegalStateException().isThrownBy(() -> EnabledIfBrowserCondition.evaluate(false, true, "Some test"))
			.withMessageContaining("interlock.browser=required");
	}

}

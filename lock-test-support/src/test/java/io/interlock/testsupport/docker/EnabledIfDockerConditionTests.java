package io.interlock.testsupport.docker;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link EnabledIfDockerCondition}.
 */
@ExtendWith(OutputCaptureExtension.class)
@ResourceLock("interlock.docker")
class EnabledIfDockerConditionTests {

	private static final String PROPERTY = "interlock.docker";

	private String before;

	@BeforeEach
	void remember() {
		this.before = System.getProperty(PROPERTY, "optional");
	}

	@AfterEach
	void restore() {
		System.setProperty(PROPERTY, this.before);
	}

	@Test
	void runsWithDaemon() {
		assertThat(EnabledIfDockerCondition.evaluate(true, "Some test").isDisabled()).isFalse();
	}

	@Test
	void skipsInOneLineWithoutDaemon(CapturedOutput output) {
		System.setProperty(PROPERTY, "optional");
		assertThat(EnabledIfDockerCondition.evaluate(false, "Some test").isDisabled()).isTrue();
		assertThat(output).containsOnlyOnce("SKIPPED Some test: no Docker daemon answers");
	}

	@Test
	void failsWithoutDaemonThatIsRequired() {
		System.setProperty(PROPERTY, "required");
		assertThatIllegalStateException().isThrownBy(() -> EnabledIfDockerCondition.evaluate(false, "Some test"))
			.withMessageContaining("interlock.docker=required");
	}

}

package io.interlock.testsupport.docker;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

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
	void runsWithoutAnObstacle() {
		assertThat(EnabledIfDockerCondition.evaluate(null, "Some test").isDisabled()).isFalse();
	}

	@Test
	void skipsInOneLine(CapturedOutput output) {
		System.setProperty(PROPERTY, "optional");
		assertThat(EnabledIfDockerCondition.evaluate("no Docker daemon answers", "Some test").isDisabled()).isTrue();
		assertThat(output).containsOnlyOnce("SKIPPED Some test: no Docker daemon answers");
	}

	@Test
	void failsIfItIsRequired() {
		System.setProperty(PROPERTY, "required");
		assertThatIllegalStateException()
			.isThrownBy(() -> EnabledIfDockerCondition.evaluate("no Docker daemon answers", "Some test"))
			.withMessageContaining("interlock.docker=required, but no Docker daemon answers");
	}

	@Test
	void imageThatDoesNotComeIsNotWaitedFor() {
		CountDownLatch never = new CountDownLatch(1);
		assertThat(EnabledIfDockerCondition.obstacle(() -> {
			try {
				never.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			return null;
		}, Duration.ofMillis(20))).isEqualTo("Docker did not provide the image within PT0.02S");
		never.countDown();
	}

	@Test
	void imageThatCannotBePulledSaysWhy() {
		assertThat(EnabledIfDockerCondition.obstacle(() -> {
			throw new IllegalStateException("no registry");
		}, Duration.ofSeconds(10))).startsWith("Docker cannot provide the image").contains("no registry");
	}

	@Test
	void imageThatIsThereIsNoObstacle() {
		assertThat(EnabledIfDockerCondition.obstacle(() -> null, Duration.ofSeconds(10))).isNull();
	}

}

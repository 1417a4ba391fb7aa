package io.interlock.benchmark.scenario;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link ProcessorTime}.
 */
class ProcessorTimeTests {

	@Test
	void processHasUsedSome() {
		assertThat(ProcessorTime.of(ProcessHandle.current().pid())).isPositive();
	}

	@Test
	void unknownProcessIsNamed() {
		assertThatIllegalStateException().isThrownBy(() -> ProcessorTime.of(Long.MAX_VALUE))
			.withMessage("The processor time of process %d is unknown", Long.MAX_VALUE);
	}

}

package io.interlock.benchmark.scenario;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Scenarios}.
 */
class ScenariosTests {

	@Test
	void namesAreUnique() {
		assertThat(Scenarios.all()).extracting(Scenario::name).doesNotHaveDuplicates();
	}

}

package io.interlock.benchmark.scenario;

import java.util.Map;

import io.interlock.benchmark.contestant.Contestant;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Growth} and the sizes of {@link SizeScenario}.
 */
class GrowthTests {

	@Test
	void comparesMediansWithTheSmallestSizeAndWithInterlock() {
		Growth growth = new Growth("keys");
		for (double cost : new double[] { 100, 900, 200 }) {
			growth.add(Contestant.INTERLOCK, 10, Map.of("cost", cost));
		}
		growth.add(Contestant.INTERLOCK, 1000, Map.of("cost", 300.0));
		growth.add(Contestant.CURATOR_PER_CALL, 10, Map.of("cost", 400.0));
		assertThat(growth).hasToString("""
				|  | keys | cost | of the smallest | Interlock is |
				|---|---:|---:|---:|---:|
				| Interlock, queue on | 10 | 200 | 1.00 x |  |
				| Curator, one mutex per call | 10 | 400 | 1.00 x | 2.00 x |
				| Interlock, queue on | 1,000 | 300 | 1.50 x |  |
				| Curator, one mutex per call | 1,000 | - | - | - |
				""");
	}

	@Test
	void sizesEndWithTheLargestAndAreAtLeastTwo() {
		assertThat(SizeScenario.decades(10, 10_000)).containsExactly(10L, 100L, 1000L, 10_000L);
		assertThat(SizeScenario.decades(10, 3000)).containsExactly(10L, 100L, 1000L, 3000L);
		assertThat(SizeScenario.decades(10_000, 3000)).containsExactly(300L, 3000L);
	}

}

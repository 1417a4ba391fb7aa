package io.interlock.zookeeper.internal.engine;

import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the attempts of the engine against simulated servers, in many schedules.
 */
class EngineSimulationTests {

	private static final long SCHEDULES = Long.getLong("interlock.simulation.schedules", 300_000);

	private static final long SEED = Long.getLong("interlock.simulation.seed", 0);

	@Test
	void noScheduleViolatesAPromise() {
		long start = System.nanoTime();
		for (long seed = SEED; seed < SEED + SCHEDULES; seed++) {
			if (Simulation.run(seed, Set.of()) != null) {
				assertThat(String.join("\n", Simulation.trace(seed, Set.of()))).isEmpty();
			}
		}
		System.out.println(SCHEDULES + " in " + (System.nanoTime() - start) / 1_000_000 + " ms");
	}

}

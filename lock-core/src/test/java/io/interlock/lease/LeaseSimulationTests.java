package io.interlock.lease;

import java.util.List;
import java.util.Set;

import io.interlock.lease.LeaseSimulation.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the lease engine on a simulated store, in many schedules. A schedule that violates
 * a promise is told with all its steps.
 */
class LeaseSimulationTests {

	/** How many schedules to run; more for a long hunt. */
	private static final long SCHEDULES = Long.getLong("interlock.simulation.lease-schedules", 50_000);

	private static final long SEED = Long.getLong("interlock.simulation.seed", 0);

	@Test
	void noScheduleViolatesAPromise() {
		long grants = 0;
		for (long seed = SEED; seed < SEED + SCHEDULES; seed++) {
			LeaseSimulation simulation = new LeaseSimulation(seed, Set.of());
			if (simulation.run(Set.of()) != null) {
				assertThat(String.join("\n", LeaseSimulation.trace(seed, Set.of()))).isEmpty();
			}
			grants += simulation.grants();
		}
		assertThat(grants).as("the simulation grants locks").isGreaterThan(SCHEDULES);
	}

	/**
	 * Schedules that have found errors of the engine, and the errors.
	 */
	@ParameterizedTest(name = "{2}")
	@CsvSource(delimiter = '|', textBlock = """
			1 | NO_THREAD | release that found no thread pending for ever
			2 | NO_MEMORY | release that found no memory to be tried again
			95 | NO_THREAD LATE FAIL_OVER | future of a release that found no thread never completed
			13 | BEFORE CLOSE | future of a release not completed when the instance stopped
			325 | NO_MEMORY | attempt that found no memory to ask again never decided
			7 | NO_THREAD | attempt without a thread told of a stop of the instance
			107 | NO_MEMORY BEFORE | looks for losses ended for want of memory
			86 | NO_MEMORY | renewals ended for want of memory
			344 | LISTENER BEFORE NO_MEMORY | thread ended by a log line
			""")
	void errorsOfThePastStayMended(long seed, String faults, String error) {
		Set<Fault> focus = LeaseSimulation.faults((faults != null) ? List.of(faults.trim().split(" ")) : List.of());
		assertThat(String.join("\n", LeaseSimulation.trace(seed, focus))).endsWith("\nno violation");
	}

	@Test
	void seedRepeatsItsScheduleStepByStep() {
		for (long seed = 0; seed < 20; seed++) {
			assertThat(LeaseSimulation.trace(seed, Set.of())).isEqualTo(LeaseSimulation.trace(seed, Set.of()));
		}
	}

	@Test
	void seedsDiffer() {
		assertThat(steps(1)).isNotEmpty().isNotEqualTo(steps(2));
	}

	private static List<String> steps(long seed) {
		List<String> trace = LeaseSimulation.trace(seed, Set.of());
		return trace.subList(1, trace.size());
	}

}

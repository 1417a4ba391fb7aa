package io.interlock.faults;

import io.interlock.faults.chaos.Verdict;
import io.interlock.faults.worker.Fleet;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Interlock under faults. {@code -Dfaults.seed} repeats a choice of faults,
 * {@code -Dfaults.duration} (20m, for instance) makes a longer run.
 */
@Order(Order.DEFAULT + 1)
class FaultRunIT {

	@Test
	void keepsItsPromisesUnderFaults() throws Exception {
		Verdict verdict = Runs.run("fault-run", Fleet.INTERLOCK, "faults.duration", "110s");
		assertThat(verdict.violations()).isEmpty();
		assertThat(verdict.uncovered()).isEmpty();
	}

}

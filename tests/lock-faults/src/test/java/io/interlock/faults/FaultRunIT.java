package io.interlock.faults;

import io.interlock.faults.chaos.Verdict;
import io.interlock.faults.worker.Fleet;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
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
	@Proves(value = Promise.EXCLUSION, under = Fault.FAULTS_AT_RANDOM)
	@Proves(value = Promise.NOTHING_IS_LEFT_BEHIND, under = Fault.FAULTS_AT_RANDOM,
			note = "processes are killed as well")
	@Proves(value = Promise.THE_PLACE_IN_THE_QUEUE, under = Fault.FAULTS_AT_RANDOM,
			note = "a run that never saw a place kept is void")
	@Proves(value = Promise.VALIDITY, under = Fault.FAULTS_AT_RANDOM)
	@Proves(value = Promise.THE_FENCING_TOKEN, under = Fault.FAULTS_AT_RANDOM,
			note = "a run in which no stale write was refused is void")
	void keepsItsPromisesUnderFaults() throws Exception {
		Verdict verdict = Runs.run("fault-run", "faults.duration", "110s", Runs.of(Fleet.INTERLOCK));
		assertThat(verdict.violations()).isEmpty();
		assertThat(verdict.uncovered()).isEmpty();
	}

}

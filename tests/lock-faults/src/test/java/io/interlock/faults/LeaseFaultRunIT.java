package io.interlock.faults;

import io.interlock.faults.chaos.LeaseFaultRun;
import io.interlock.faults.chaos.Verdict;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Interlock on stores of leases under faults. {@code -Dfaults.seed} repeats a choice of
 * faults, {@code -Dfaults.duration} (5m, for instance) makes a longer run.
 */
@Order(Order.DEFAULT + 3)
class LeaseFaultRunIT {

	@Test
	void postgresKeepsItsPromisesUnderFaults() throws Exception {
		check("postgresql", LeaseFaultRun::onPostgres);
	}

	@Test
	void redisKeepsItsPromisesUnderFaults() throws Exception {
		check("redis", LeaseFaultRun::onRedis);
	}

	@Test
	void redisClusterKeepsItsPromisesUnderFaults() throws Exception {
		check("redis-cluster", LeaseFaultRun::onRedisCluster);
	}

	private static void check(String store, Runs.Run run) throws Exception {
		Verdict verdict = Runs.run("fault-run-" + store, "faults.duration", "60s", run);
		assertThat(verdict.violations()).isEmpty();
		assertThat(verdict.uncovered()).isEmpty();
	}

}

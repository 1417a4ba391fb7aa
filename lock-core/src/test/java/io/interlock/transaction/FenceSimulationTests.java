package io.interlock.transaction;

import java.math.BigInteger;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.interlock.transaction.FenceState.Snapshot;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs all orders of the steps of three holders and two locks.
 */
class FenceSimulationTests {

	private static final Set<FenceRule> ALL = EnumSet.allOf(FenceRule.class);

	@ParameterizedTest
	@EnumSource
	void noOrderBreaksThePromise(Snapshot snapshot, TestReporter reporter) {
		BigInteger orders = BigInteger.ZERO;
		for (List<List<FenceStep>> programs : programs(ALL, snapshot)) {
			FenceSimulation simulation = new FenceSimulation(programs, ALL, snapshot);
			orders = orders.add(simulation.run());
			assertThat(simulation.violation()).as("%s", programs).isNull();
		}
		reporter.publishEntry("orders, snapshot " + snapshot, orders.toString());
		assertThat(orders).isGreaterThan(BigInteger.valueOf(1_000_000));
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource(delimiter = '|', textBlock = """
			LOCKED_UNTIL_THE_END    | overwrites what it has not read
			GREATER_REFUSES         | commits behind a later holder
			BEFORE_THE_FIRST_READ   | overwrites what it has not read
			AGAIN_AFTER_A_SAVEPOINT | overwrites what it has not read
			KEPT_LOCKS_ONLY         | waits for a transaction whose holder has released the lock
			IN_ONE_ORDER            | waits for ever
			BEHIND_THE_OUTER_ONE    | waits for ever
			CHANGED_ROW_FAILS       | overwrites what it has not read
			""")
	void ruleThatIsOffIsFound(FenceRule off, String violation, TestReporter reporter) {
		Set<FenceRule> rules = EnumSet.complementOf(EnumSet.of(off));
		Snapshot snapshot = (off == FenceRule.CHANGED_ROW_FAILS) ? Snapshot.AT_THE_FIRST_STATEMENT
				: Snapshot.OF_EACH_STATEMENT;
		String found = firstViolation(rules, snapshot);
		assertThat(found).isNotNull().endsWith(violation);
		reporter.publishEntry(off.toString(), found);
	}

	private static @Nullable String firstViolation(Set<FenceRule> rules, Snapshot snapshot) {
		for (List<List<FenceStep>> programs : programs(rules, snapshot)) {
			FenceSimulation simulation = new FenceSimulation(programs, rules, snapshot);
			simulation.run();
			if (simulation.violation() != null) {
				return simulation.violation();
			}
		}
		return null;
	}

	/**
	 * What was read before a lock is as old as it is, and a snapshot does not have what
	 * an inner transaction has written.
	 */
	private static List<List<List<FenceStep>>> programs(Set<FenceRule> rules, Snapshot snapshot) {
		FencePrograms programs = new FencePrograms(rules);
		return (switch (snapshot) {
			case OF_EACH_STATEMENT -> programs;
			case AT_THE_FIRST_READ -> programs.without(FencePrograms.LOCK_INSIDE, FencePrograms.SAVEPOINT);
			case AT_THE_FIRST_STATEMENT -> programs.without(FencePrograms.OF_ITS_OWN);
		}).ofThree();
	}

}

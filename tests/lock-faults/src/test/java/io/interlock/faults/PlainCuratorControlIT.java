package io.interlock.faults;

import io.interlock.faults.chaos.Verdict;
import io.interlock.faults.check.Violation;
import io.interlock.faults.worker.Fleet;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The suite has teeth: plain Curator, used the way its users do, fails in it. Which of
 * its known defects a run came across is printed. It ends as soon as both promises are
 * broken that the assertion names, or after {@code -Dfaults.control.duration}.
 */
@Order(Order.DEFAULT + 2)
class PlainCuratorControlIT {

	@Test
	void plainCuratorBreaksThePromises() throws Exception {
		Verdict verdict = Runs.run("plain-curator", "faults.control.duration", "5m", Runs.of(Fleet.PLAIN));
		assertThat(verdict.violations()).extracting(Violation::checker).contains("exclusion", "deadline");
	}

}

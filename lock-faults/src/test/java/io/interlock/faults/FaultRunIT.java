package io.interlock.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.interlock.faults.chaos.FaultRun;
import io.interlock.faults.chaos.Verdict;
import io.interlock.faults.worker.Fleet;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.springframework.boot.convert.DurationStyle;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Interlock under faults. {@code -Dfaults.seed} repeats a choice of faults,
 * {@code -Dfaults.duration} (20m, for instance) makes a longer run.
 */
@Order(Order.DEFAULT + 1)
class FaultRunIT {

	@Test
	void keepsItsPromisesUnderFaults() throws Exception {
		long seed = Long.getLong("faults.seed", System.currentTimeMillis());
		Duration duration = DurationStyle.detectAndParse(System.getProperty("faults.duration", "110s"));
		System.out.println("-Dfaults.seed=" + seed);
		Path directory = Files.createDirectories(Path.of("target", "faults"));
		Verdict verdict = new FaultRun(Fleet.INTERLOCK, seed, duration, directory).run();
		verdict.publish(directory.resolve("fault-run.md"));
		assertThat(verdict.violations()).isEmpty();
		assertThat(verdict.uncovered()).isEmpty();
	}

}

package io.interlock.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.interlock.faults.chaos.FaultRun;
import io.interlock.faults.chaos.Verdict;
import io.interlock.faults.check.Violation;
import io.interlock.faults.worker.Fleet;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The suite has teeth: plain Curator, used the way its users do, fails in it.
 */
class PlainCuratorControlIT {

	@Test
	void plainCuratorBreaksThePromises() throws Exception {
		Path directory = Files.createDirectories(Path.of("target", "faults", "plain"));
		long seed = Long.getLong("faults.seed", 1);
		Verdict verdict = new FaultRun(Fleet.PLAIN, seed, Duration.ofSeconds(60), directory).run();
		verdict.publish(directory.resolve("fault-run.md"));
		assertThat(verdict.violations()).extracting(Violation::checker).contains("exclusion", "deadline");
	}

}

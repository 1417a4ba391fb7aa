package io.interlock.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.interlock.faults.chaos.FaultRun;
import io.interlock.faults.chaos.Verdict;
import io.interlock.faults.check.Violation;
import io.interlock.faults.worker.Fleet;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.springframework.boot.convert.DurationStyle;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The suite has teeth: plain Curator, used the way its users do, fails in it. Which of
 * its known defects a run came across is printed. {@code -Dfaults.control.duration} makes
 * a longer run.
 */
@Order(Order.DEFAULT + 2)
class PlainCuratorControlIT {

	@Test
	void plainCuratorBreaksThePromises() throws Exception {
		Path directory = Files.createDirectories(Path.of("target", "faults", "plain"));
		long seed = Long.getLong("faults.seed", System.currentTimeMillis());
		Duration duration = DurationStyle.detectAndParse(System.getProperty("faults.control.duration", "75s"));
		System.out.println("-Dfaults.seed=" + seed);
		Verdict verdict = new FaultRun(Fleet.PLAIN, seed, duration, directory).run();
		verdict.publish(Path.of("target", "faults", "plain-curator.md"));
		assertThat(verdict.violations()).extracting(Violation::checker).contains("exclusion", "deadline");
	}

}

package io.interlock.faults;

import java.nio.file.Path;
import java.time.Duration;

import io.interlock.faults.chaos.FaultRun;
import io.interlock.faults.chaos.Verdict;
import io.interlock.faults.worker.Fleet;

import org.springframework.boot.convert.DurationStyle;

/**
 * Runs as the command line wants them. {@code -Dfaults.seed} repeats a choice of faults.
 */
final class Runs {

	private Runs() {
	}

	/**
	 * Run, and publish what came of it.
	 * @param name name of the run, by which its figures are found
	 * @param durationProperty system property with the duration
	 * @param defaultDuration how long without it
	 * @param run what to run
	 * @return what came of it
	 */
	static Verdict run(String name, String durationProperty, String defaultDuration, Run run) throws Exception {
		long seed = Long.getLong("faults.seed", System.currentTimeMillis());
		Duration duration = DurationStyle.detectAndParse(System.getProperty(durationProperty, defaultDuration));
		System.out.printf("%s: -Dfaults.seed=%d -D%s=%ss%n", name, seed, durationProperty, duration.toSeconds());
		Verdict verdict = run.run(seed, duration, Figures.logs(name));
		Figures.publish(name, verdict.table(), verdict.details());
		verdict.violations().stream().limit(20).forEach(System.out::println);
		return verdict;
	}

	static Run of(Fleet fleet) {
		return (seed, duration, directory) -> new FaultRun(fleet, seed, duration, directory).run();
	}

	/**
	 * Runs with what the command line wants.
	 */
	@FunctionalInterface
	interface Run {

		Verdict run(long seed, Duration duration, Path directory) throws Exception;

	}

}

package io.interlock.faults;

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
	 * @param fleet what is under test
	 * @param durationProperty system property with the duration
	 * @param defaultDuration how long without it
	 * @return what came of it
	 */
	static Verdict run(String name, Fleet fleet, String durationProperty, String defaultDuration) throws Exception {
		long seed = Long.getLong("faults.seed", System.currentTimeMillis());
		Duration duration = DurationStyle.detectAndParse(System.getProperty(durationProperty, defaultDuration));
		System.out.printf("%s: -Dfaults.seed=%d -D%s=%ss%n", name, seed, durationProperty, duration.toSeconds());
		Verdict verdict = new FaultRun(fleet, seed, duration, Figures.logs(name)).run();
		Figures.publish(name, verdict.table(), verdict.details());
		verdict.violations().stream().limit(20).forEach(System.out::println);
		return verdict;
	}

}

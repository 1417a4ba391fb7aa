package io.interlock.faults.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.interlock.faults.check.Coverage;
import io.interlock.faults.check.DeadlineChecker;
import io.interlock.faults.check.History;
import io.interlock.faults.check.ObservedAttempt;
import io.interlock.faults.check.ObservedFault;
import io.interlock.faults.check.Violation;

/**
 * The figures of a run.
 *
 * @param violations promises that were broken
 * @param uncovered what the run did not come across, which makes it void
 * @param table the figures as a Markdown table
 * @param timeline the faults in order
 */
public record Verdict(List<Violation> violations, List<Violation> uncovered, String table, List<String> timeline) {

	static Verdict of(History history, Coverage coverage, List<Violation> found, long seed, Duration duration,
			Map<String, Object> more) {
		List<Violation> violations = new ArrayList<>(found);
		violations.addAll(history.violationsByWorkers());
		Map<String, Object> rows = new LinkedHashMap<>();
		rows.put("seed", seed);
		rows.put("duration", duration);
		rows.put("grants", history.holds().size());
		rows.put("grants by lock", history.grantsByKey());
		rows.put("attempts with a limit",
				counts(history.attempts()
					.stream()
					.collect(Collectors.groupingBy((ObservedAttempt attempt) -> attempt.outcome().name(), TreeMap::new,
							Collectors.counting()))));
		rows.put("faults", history.faults().size());
		history.faults()
			.stream()
			.collect(Collectors.groupingBy(ObservedFault::kind, TreeMap::new, Collectors.counting()))
			.forEach((kind, count) -> rows.put("fault " + kind, count));
		rows.put("writes accepted", history.counted("writes accepted"));
		rows.putAll(coverage.counters(history));
		rows.put("deadline error, ms", DeadlineChecker.errors(history));
		rows.put("attempts set aside", "%.1f %%".formatted(DeadlineChecker.shareSetAside(history) * 100));
		rows.putAll(more);
		rows.put("violations", violations.size());
		violations.stream()
			.collect(Collectors.groupingBy(Violation::checker, TreeMap::new, Collectors.counting()))
			.forEach((checker, count) -> rows.put("violation: " + checker, count));
		return new Verdict(violations, coverage.check(history), table(rows), timeline(history));
	}

	private static String counts(Map<String, Long> counts) {
		return counts.entrySet()
			.stream()
			.map((entry) -> entry.getKey().toLowerCase() + " " + entry.getValue())
			.collect(Collectors.joining(", "));
	}

	private static List<String> timeline(History history) {
		return history.faults()
			.stream()
			.sorted(Comparator.comparingLong(ObservedFault::begin))
			.map((fault) -> "%s %s from %d to %d".formatted(fault.kind(), fault.target(), fault.begin(), fault.end()))
			.toList();
	}

	private static String table(Map<String, Object> rows) {
		return rows.entrySet()
			.stream()
			.map((row) -> "| %s | %s |".formatted(row.getKey(), row.getValue()))
			.collect(Collectors.joining("\n", "| | |\n|---|---|\n", "\n"));
	}

	/**
	 * Return what the table sums up.
	 * @return the violations, and the faults in order
	 */
	public String details() {
		String broken = this.violations.stream().map((each) -> "- " + each + "\n").collect(Collectors.joining());
		String faults = this.timeline.stream().map((each) -> "    " + each + "\n").collect(Collectors.joining());
		return "\n" + broken + "\n" + faults;
	}

}

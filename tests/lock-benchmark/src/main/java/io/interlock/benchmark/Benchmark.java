package io.interlock.benchmark;

import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.interlock.benchmark.scenario.Scenario;
import io.interlock.benchmark.scenario.Scenarios;
import io.interlock.benchmark.scenario.Site;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;

/**
 * Runs the scenarios, one after the other, against one server.
 *
 * @since 0.1.0
 */
public final class Benchmark {

	/** Each names all scenarios that begin with it. */
	private static final Set<String> GROUPS = Set.of("stores", "size");

	private Benchmark() {
	}

	/**
	 * Run scenarios. Ends with status 1 if one failed, for example because locks were
	 * held by two at a time.
	 * @param args see {@code docs/internals/benchmarks.md}
	 */
	public static void main(String[] args) {
		try {
			System.exit(run(Options.parse(args)) ? 0 : 1);
		}
		catch (Exception ex) {
			System.err.println((ex instanceof IllegalArgumentException) ? ex.getMessage() : ex);
			System.exit(2);
		}
	}

	private static boolean run(Options options) throws Exception {
		List<Scenario> scenarios = chosen(options.scenarios());
		Report report = new Report(options.directory().resolve("benchmark.md"));
		report.add("# Benchmark of %s%n%n%s%n%nRounds: %d, of %s s each with the warm-up; medians.%n"
			.formatted(LocalDate.now(), Machine.describe(), options.rounds(), options.seconds()));
		long startedAt = System.nanoTime();
		boolean passed = true;
		try (Server server = Server.standalone(options.directory().toAbsolutePath().resolve("server"),
				ServerSettings.usual().withHeap(options.serverHeap()))) {
			Site site = new Site(server, options.directory().toAbsolutePath(), options.rounds(), options.seconds(),
					options.keys());
			for (Scenario scenario : scenarios) {
				passed &= run(scenario, site, report);
			}
		}
		report.add("Took %s.".formatted(Duration.ofSeconds((System.nanoTime() - startedAt) / 1_000_000_000L)));
		return passed;
	}

	private static boolean run(Scenario scenario, Site site, Report report) throws Exception {
		String heading = "## %s (`%s`)%n%n".formatted(scenario.title(), scenario.name());
		try {
			report.add(heading + scenario.run(site));
			return true;
		}
		catch (Exception ex) {
			ex.printStackTrace();
			report.add(heading + "FAILED: " + ex + "\n");
			return false;
		}
	}

	static List<Scenario> chosen(Set<String> names) {
		List<Scenario> all = Scenarios.all();
		Set<String> unknown = new TreeSet<>(names);
		unknown.removeIf((name) -> all.stream().anyMatch((scenario) -> isNamed(scenario, name)));
		if (!unknown.isEmpty()) {
			throw new IllegalArgumentException("Unknown scenario %s. Known: %s".formatted(unknown,
					all.stream().map(Scenario::name).collect(Collectors.joining(" "))));
		}
		return all.stream().filter((scenario) -> isChosen(scenario, names)).toList();
	}

	private static boolean isChosen(Scenario scenario, Set<String> names) {
		return names.isEmpty() ? scenario.byDefault() : names.stream().anyMatch((name) -> isNamed(scenario, name));
	}

	private static boolean isNamed(Scenario scenario, String name) {
		return scenario.name().equals(name) || (GROUPS.contains(name) && scenario.name().startsWith(name + "-")
				&& !scenario.name().endsWith(Scenarios.AWAY));
	}

}

package io.interlock.benchmark.scenario;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.load.ExclusionViolation;
import io.interlock.benchmark.load.LoadPlan;
import io.interlock.benchmark.load.MappedExclusionCheck;
import io.interlock.benchmark.load.Pace;
import io.interlock.benchmark.load.Tally;

/**
 * Threads of several JVMs that all want the same lock.
 */
final class ProcessesContest extends Contest {

	private static final int JVMS = 4;

	private static final int THREADS = 8;

	private static final Duration MAX_TENURE = Duration.ofMillis(50);

	/** Fairness is promised over this time. */
	private static final double SECONDS_OF_FAIRNESS = 10;

	private final LoadPlan plan;

	ProcessesContest(String name, String title, Duration body, List<Contestant> contestants,
			Map<Contestant, Double> goals) {
		super(name, title, contestants, goals);
		this.plan = LoadPlan.hot(THREADS, body);
	}

	@Override
	Map<String, Double> measure(Contestant contestant, Site site) throws IOException {
		Path mapped = Files.createTempFile(site.directory(), "words", null);
		List<WorkerProcess> workers = new ArrayList<>();
		try {
			for (int number = 1; number <= JVMS; number++) {
				workers.add(new WorkerProcess(contestant, number, this.plan, pace(contestant, site), mapped, site));
			}
			return readings(run(workers, mapped));
		}
		finally {
			workers.forEach(WorkerProcess::close);
			Files.delete(mapped);
		}
	}

	private Pace pace(Contestant contestant, Site site) {
		Duration warmUp = Duration.ofMillis((long) Math.min(2000, site.seconds() * 500));
		double measured = (contestant == Contestant.INTERLOCK) ? Math.min(SECONDS_OF_FAIRNESS, site.seconds() * 4)
				: site.seconds();
		return new Pace(warmUp, Duration.ofMillis((long) (measured * 1000)));
	}

	private List<Tally> run(List<WorkerProcess> workers, Path mapped) throws IOException {
		for (WorkerProcess worker : workers) {
			worker.awaitReady();
		}
		for (WorkerProcess worker : workers) {
			worker.begin();
		}
		List<Tally> tallies = new ArrayList<>();
		for (WorkerProcess worker : workers) {
			tallies.add(worker.awaitTally());
		}
		long holders = tallies.stream().mapToLong(Tally::exclusiveHolders).sum();
		long seen = new MappedExclusionCheck(mapped).exclusiveHolders();
		if (holders != seen) {
			throw new ExclusionViolation("%d holders, but %d seen".formatted(holders, seen));
		}
		return tallies;
	}

	private Map<String, Double> readings(List<Tally> tallies) {
		Tally all = tallies.stream().reduce(Tally.NOTHING, Tally::plus);
		Map<String, Double> readings = Readings.of(all, !this.plan.body().isZero());
		readings.put("longest aside, ms", Readings.millis(all.longestAside()));
		readings.put("bound of it, ms", (JVMS - 1) * (MAX_TENURE.toMillis() + Readings.millis(all.longestBody())));
		readings.put("Jain's index", Fairness.ofJain(tallies.stream().mapToLong(Tally::operations).toArray()));
		for (int i = 0; i < tallies.size(); i++) {
			readings.put("share of JVM %d, %%".formatted(i + 1),
					100.0 * tallies.get(i).operations() / all.operations());
		}
		return readings;
	}

}

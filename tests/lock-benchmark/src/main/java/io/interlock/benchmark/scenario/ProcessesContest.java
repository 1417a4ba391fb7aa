package io.interlock.benchmark.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.load.ExclusionViolation;
import io.interlock.benchmark.load.LoadPlan;
import io.interlock.benchmark.load.MappedExclusionCheck;
import io.interlock.benchmark.load.Pace;
import io.interlock.benchmark.load.Tally;

/**
 * A contest of threads of several JVMs for the same lock. The JVMs stay for all rounds,
 * as those of an application do: a young one spends more time on compiling than on locks.
 */
final class ProcessesContest extends Contest {

	private static final Duration MAX_TENURE = Duration.ofMillis(50);

	/** Fairness is promised over this time. */
	private static final double SECONDS_OF_FAIRNESS = 10;

	private final int jvms;

	private final LoadPlan plan;

	private final Map<Contestant, Fleet> fleets = new EnumMap<>(Contestant.class);

	/**
	 * Create a contest.
	 * @param name its name on the command line
	 * @param title its heading
	 * @param jvms how many JVMs
	 * @param plan what the threads of each JVM do
	 * @param contestants the contestants, in the order of their turns
	 * @param goals the ratios aimed at
	 */
	ProcessesContest(String name, String title, int jvms, LoadPlan plan, List<Contestant> contestants,
			Map<Contestant, Double> goals) {
		super(name, title, contestants, goals);
		this.jvms = jvms;
		this.plan = plan;
	}

	@Override
	public String run(Site site) throws Exception {
		try {
			return super.run(site);
		}
		finally {
			this.fleets.values().forEach(Fleet::close);
			this.fleets.clear();
		}
	}

	@Override
	void prepare(List<Contestant> contestants, Site site) throws IOException {
		for (Contestant contestant : contestants) {
			Fleet fleet = new Fleet(Files.createTempFile(site.directory(), "words", null));
			this.fleets.put(contestant, fleet);
			for (int number = 1; number <= this.jvms; number++) {
				fleet.workers
					.add(new WorkerProcess(contestant, number, this.plan, pace(contestant, site), fleet.words, site));
			}
			fleet.workers.forEach(WorkerProcess::awaitReady);
		}
	}

	@Override
	Map<String, Double> measure(Contestant contestant, Site site) throws IOException {
		return readings(Objects.requireNonNull(this.fleets.get(contestant)).run());
	}

	private Pace pace(Contestant contestant, Site site) {
		Duration warmUp = Duration.ofMillis((long) Math.min(2000, site.seconds() * 500));
		boolean tenures = contestant == contestant.reference() && handsOver();
		double measured = tenures ? Math.min(SECONDS_OF_FAIRNESS, site.seconds() * 4) : site.seconds();
		return new Pace(warmUp, Duration.ofMillis((long) (measured * 1000)));
	}

	/**
	 * Whether the threads of one JVM hand locks to each other. If they do not,
	 * contestants are close to each other, and each is measured for the same time.
	 */
	private boolean handsOver() {
		return this.plan.threads() > 1;
	}

	private Map<String, Double> readings(List<Tally> tallies) {
		Tally all = tallies.stream().reduce(Tally.NOTHING, Tally::plus);
		Map<String, Double> readings = Readings.of(all, !this.plan.body().isZero());
		readings.put("longest aside, ms", Readings.millis(all.longestAside()));
		if (handsOver()) {
			readings.put("bound of it, ms",
					(this.jvms - 1) * (MAX_TENURE.toMillis() + Readings.millis(all.longestBody())));
		}
		readings.put("Jain's index", Fairness.ofJain(tallies.stream().mapToLong(Tally::operations).toArray()));
		for (int i = 0; i < tallies.size(); i++) {
			readings.put("share of JVM %d, %%".formatted(i + 1),
					100.0 * tallies.get(i).operations() / all.operations());
		}
		return readings;
	}

	/**
	 * The JVMs of one contestant, and the words by which they see whether they exclude
	 * each other.
	 */
	private static final class Fleet {

		private final List<WorkerProcess> workers = new ArrayList<>();

		private final Path words;

		private long holders;

		Fleet(Path words) {
			this.words = words;
		}

		List<Tally> run() throws IOException {
			this.workers.forEach(WorkerProcess::begin);
			List<Tally> tallies = this.workers.stream().map(WorkerProcess::awaitTally).toList();
			this.holders += tallies.stream().mapToLong(Tally::exclusiveHolders).sum();
			long seen = new MappedExclusionCheck(this.words).exclusiveHolders();
			if (this.holders != seen) {
				throw new ExclusionViolation("%d holders, but %d seen".formatted(this.holders, seen));
			}
			return tallies;
		}

		void close() {
			this.workers.forEach(WorkerProcess::close);
			try {
				Files.delete(this.words);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}

package io.interlock.benchmark.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.load.ExclusionViolation;
import io.interlock.benchmark.load.LoadPlan;
import io.interlock.benchmark.load.MappedExclusionCheck;
import io.interlock.benchmark.load.Pace;
import io.interlock.benchmark.load.Tally;

/**
 * The JVMs of one contestant that want the same lock, and the words by which they see
 * whether they exclude each other.
 */
final class Fleet implements AutoCloseable {

	private final List<WorkerProcess> workers = new ArrayList<>();

	private final Path words;

	private final IntFunction<WorkerProcess> starter;

	private long holders;

	private Fleet(Path words, IntFunction<WorkerProcess> starter) {
		this.words = words;
		this.starter = starter;
	}

	/**
	 * Start JVMs and wait until all of them are ready.
	 * @param jvms how many
	 * @param jvm their state when they are ready
	 * @param contestant what they lock with
	 * @param plan what the threads of each JVM do
	 * @param pace for how long, each time
	 * @param site where the servers are
	 * @return the fleet
	 * @throws IOException if the words cannot be written
	 */
	static Fleet start(int jvms, Jvm jvm, Contestant contestant, LoadPlan plan, Pace pace, Site site)
			throws IOException {
		Path words = Files.createTempFile(site.directory(), "words", null);
		Fleet fleet = new Fleet(words, (number) -> new WorkerProcess(contestant, number, plan, pace, words, site, jvm));
		try {
			for (int number = 1; number <= jvms; number++) {
				fleet.workers.add(fleet.starter.apply(number));
			}
			fleet.workers.forEach(WorkerProcess::awaitReady);
			return fleet;
		}
		catch (RuntimeException ex) {
			fleet.close();
			throw ex;
		}
	}

	/**
	 * Start further JVMs, one after the other.
	 * @param jvms how many there are afterwards
	 * @return whether there were fewer before
	 */
	boolean grow(int jvms) {
		int before = this.workers.size();
		while (this.workers.size() < jvms) {
			WorkerProcess worker = this.starter.apply(this.workers.size() + 1);
			this.workers.add(worker);
			worker.awaitReady();
		}
		return this.workers.size() > before;
	}

	/**
	 * Let all threads lock at the same time.
	 * @return what was done in each JVM
	 * @throws ExclusionViolation if they did not exclude each other
	 */
	List<Tally> run() {
		this.workers.forEach(WorkerProcess::begin);
		List<Tally> tallies = this.workers.stream().map(WorkerProcess::awaitTally).toList();
		this.holders += tallies.stream().mapToLong(Tally::exclusiveHolders).sum();
		long seen = new MappedExclusionCheck(this.words).exclusiveHolders();
		if (this.holders != seen) {
			throw new ExclusionViolation("%d holders, but %d seen".formatted(this.holders, seen));
		}
		return tallies;
	}

	/**
	 * Return the processor time of all JVMs.
	 * @return nanoseconds since they started
	 */
	long processorTime() {
		return this.workers.stream().mapToLong(WorkerProcess::processorTime).sum();
	}

	@Override
	public void close() {
		this.workers.forEach(WorkerProcess::close);
		try {
			Files.delete(this.words);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

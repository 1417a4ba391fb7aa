package io.interlock.zookeeper.internal.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.interlock.testsupport.process.JavaProcess;
import org.jspecify.annotations.Nullable;

/**
 * Asks a {@link MutantWorker} for one change after the other. A change that takes ten
 * times as long as none has a step without an end: its JVM is ended, and the next change
 * gets another one.
 */
final class MutantHunt implements AutoCloseable {

	/** What was found of a change that has to be ended. */
	static final String NO_END = "no end of a step";

	private static final Duration LIMIT_OF_NO_CHANGE = Duration.ofMinutes(10);

	private static final Duration LEAST_LIMIT = Duration.ofSeconds(30);

	private final int schedules;

	private @Nullable JavaProcess worker;

	private Duration limit = LIMIT_OF_NO_CHANGE;

	/**
	 * Begin with a hunt for no change, which takes the measure.
	 * @param schedules how many schedules look for each change
	 * @param type a type of the engine
	 * @param line the number of one of its lines
	 * @param text the text of that line
	 */
	MutantHunt(int schedules, String type, int line, String text) {
		this.schedules = schedules;
		long begun = System.nanoTime();
		String found = find(type, line, text);
		if (!found.equals(MutantWorker.NOTHING)) {
			throw new IllegalStateException("The unchanged engine is refused: " + found);
		}
		Duration measure = Duration.ofNanos(System.nanoTime() - begun).multipliedBy(10);
		this.limit = (measure.compareTo(LEAST_LIMIT) > 0) ? measure : LEAST_LIMIT;
	}

	/**
	 * Look for a change of a line.
	 * @param type the type
	 * @param line the number of the line
	 * @param text its new text
	 * @return what was found, {@link MutantWorker#NOTHING} or
	 * {@link MutantWorker#NO_JAVA}
	 */
	String find(String type, int line, String text) {
		if (this.worker == null) {
			this.worker = JavaProcess.start(MutantWorker.class, Path.of("target", "engine-mutants.log"),
					List.of("-Xmx1g", "-XX:+UseSerialGC"), List.of(Integer.toString(this.schedules)));
		}
		long begun = System.nanoTime();
		String found = this.worker.ask(type + "\t" + line + "\t" + text, this.limit);
		if (found.isEmpty()) {
			if (System.nanoTime() - begun < this.limit.toNanos()) {
				throw new IllegalStateException("The worker has ended: see target/engine-mutants.log");
			}
			close();
			return NO_END;
		}
		return found;
	}

	@Override
	public void close() {
		if (this.worker != null) {
			this.worker.close();
			this.worker = null;
		}
	}

}

package io.interlock.benchmark.scenario;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.load.LoadPlan;
import io.interlock.benchmark.load.Pace;
import io.interlock.benchmark.load.Tally;
import io.interlock.testsupport.process.JavaProcess;

/**
 * A worker as the scenario sees it.
 */
final class WorkerProcess implements AutoCloseable {

	private static final Duration START_TIMEOUT = Duration.ofMinutes(3);

	/** For a call that waits for a lock when the time is over, and for the end. */
	private static final Duration END_TIMEOUT = Duration.ofMinutes(2);

	private final JavaProcess process;

	private final Duration runTimeout;

	WorkerProcess(Contestant contestant, int number, LoadPlan plan, Pace pace, Path mapped, Site site, Jvm jvm) {
		this.process = JavaProcess.start(Worker.class, site.directory().resolve("worker.log"), jvm.options(),
				List.of(contestant.name(), site.address(contestant, number), Integer.toString(number),
						Integer.toString(plan.threads()), Long.toString(plan.body().toNanos()),
						Long.toString(pace.warmUp().toMillis()), Long.toString(pace.measured().toMillis()),
						mapped.toString(), Integer.toString(jvm.warmUp())));
		this.runTimeout = pace.warmUp().plus(pace.measured()).plus(END_TIMEOUT);
	}

	void awaitReady() {
		this.process.await(Worker.READY, START_TIMEOUT);
	}

	void begin() {
		this.process.send("begin");
	}

	Tally awaitTally() {
		return Tally.ofLine(this.process.await(Worker.TALLY, this.runTimeout));
	}

	@Override
	public void close() {
		this.process.close();
	}

}

package io.interlock.benchmark.scenario;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.load.LoadPlan;
import io.interlock.benchmark.load.Pace;
import io.interlock.benchmark.load.Tally;
import io.interlock.benchmark.server.JavaProcess;

/**
 * A worker as the scenario sees it.
 */
final class WorkerProcess implements AutoCloseable {

	private final JavaProcess process;

	private final BufferedReader answers;

	WorkerProcess(Contestant contestant, int number, LoadPlan plan, Pace pace, Path mapped, Site site) {
		this.process = JavaProcess.start(Worker.class, site.directory().resolve("worker.log"), List.of("-Xmx128m"),
				List.of(contestant.name(), site.server().connectString(), Integer.toString(number),
						Integer.toString(plan.threads()), Long.toString(plan.body().toNanos()),
						Long.toString(pace.warmUp().toMillis()), Long.toString(pace.measured().toMillis()),
						mapped.toString()));
		this.answers = new BufferedReader(
				new InputStreamReader(this.process.process().getInputStream(), StandardCharsets.UTF_8));
	}

	void awaitReady() throws IOException {
		String answer = answer();
		if (!answer.equals(Worker.READY)) {
			throw new IOException("The worker is not ready, but says " + answer);
		}
	}

	void begin() throws IOException {
		this.process.process().getOutputStream().write('\n');
		this.process.process().getOutputStream().flush();
	}

	Tally awaitTally() throws IOException {
		return Tally.ofLine(answer());
	}

	private String answer() throws IOException {
		String answer = this.answers.readLine();
		if (answer == null) {
			throw new IOException("A worker failed: worker.log tells why");
		}
		return answer;
	}

	@Override
	public void close() {
		this.process.close();
	}

}

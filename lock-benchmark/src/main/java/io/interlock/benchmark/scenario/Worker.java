package io.interlock.benchmark.scenario;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.contestant.Locks;
import io.interlock.benchmark.load.Load;
import io.interlock.benchmark.load.LoadPlan;
import io.interlock.benchmark.load.MappedExclusionCheck;
import io.interlock.benchmark.load.Pace;
import io.interlock.benchmark.load.Tally;
import io.interlock.benchmark.server.JavaProcess;

/**
 * One of several JVMs that want the same lock: connects, says so, waits to be told to
 * begin, and says what it did.
 */
final class Worker {

	static final String READY = "ready";

	private static final int WARM_UP = 100;

	private Worker() {
	}

	/**
	 * Run a worker.
	 * @param args contestant, connect string, number, threads, body in nanoseconds,
	 * warm-up and measured time in milliseconds, file to map
	 */
	public static void main(String[] args) throws Exception {
		LoadPlan plan = LoadPlan.hot(Integer.parseInt(args[3]), Duration.ofNanos(Long.parseLong(args[4])));
		Pace pace = new Pace(Duration.ofMillis(Long.parseLong(args[5])), Duration.ofMillis(Long.parseLong(args[6])));
		MappedExclusionCheck check = new MappedExclusionCheck(Path.of(args[7]));
		try (Locks locks = Contestant.valueOf(args[0]).connect(args[1])) {
			warmUp(locks, args[2]);
			System.out.println(READY);
			awaitStart();
			JavaProcess.endWithParent();
			Tally tally = Load.run(plan, locks, pace, check, Integer.parseInt(args[2]));
			System.out.println(tally.toLine());
		}
		System.exit(0);
	}

	/**
	 * Load what a first call loads. Measured is what instances do that have run for a
	 * while.
	 */
	private static void warmUp(Locks locks, String number) throws Exception {
		for (int i = 0; i < WARM_UP; i++) {
			locks.exclusively("own-" + number, () -> {
			});
		}
	}

	private static void awaitStart() throws IOException {
		if (new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine() == null) {
			System.exit(1);
		}
	}

}

package io.interlock.benchmark.scenario;

import java.io.BufferedReader;
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

/**
 * One of several JVMs that want the same lock: connects, warms up if it is told to, says
 * so, and each time it is told to begin, says what it did. It ends with its input.
 */
final class Worker {

	static final String READY = "ready";

	static final String TALLY = "tally ";

	private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(15);

	private Worker() {
	}

	/**
	 * Run a worker.
	 * @param args contestant, connect string, number, threads, body in nanoseconds,
	 * warm-up and measured time in milliseconds, file to map, how often to lock first
	 */
	public static void main(String[] args) throws Exception {
		LoadPlan plan = LoadPlan.hot(Integer.parseInt(args[3]), Duration.ofNanos(Long.parseLong(args[4])));
		Pace pace = new Pace(Duration.ofMillis(Long.parseLong(args[5])), Duration.ofMillis(Long.parseLong(args[6])));
		MappedExclusionCheck check = new MappedExclusionCheck(Path.of(args[7]));
		try (Locks locks = Contestant.valueOf(args[0]).connect(args[1])) {
			warmUp(locks, args[2], Integer.parseInt(args[8]));
			System.out.println(READY);
			BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
			while (commands.readLine() != null) {
				Tally tally = Load.run(plan, locks, pace, check, Integer.parseInt(args[2]));
				System.out.println(TALLY + tally.toLine());
			}
		}
		System.exit(0);
	}

	/**
	 * Load what a first call loads, and give the compiler of the JVM its time.
	 */
	private static void warmUp(Locks locks, String number, int calls) throws Exception {
		long startedAt = System.nanoTime();
		for (int i = 0; i < calls && System.nanoTime() - startedAt < LONGEST_WARM_UP.toNanos(); i++) {
			locks.exclusively("own-" + number, () -> {
			});
		}
	}

}

package io.interlock.benchmark.scenario;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.load.LoadPlan;

import static io.interlock.benchmark.contestant.Contestant.BARE_NODES;
import static io.interlock.benchmark.contestant.Contestant.CURATOR_PER_CALL;
import static io.interlock.benchmark.contestant.Contestant.CURATOR_READ_WRITE_PER_CALL;
import static io.interlock.benchmark.contestant.Contestant.CURATOR_READ_WRITE_SHARED;
import static io.interlock.benchmark.contestant.Contestant.CURATOR_SHARED;
import static io.interlock.benchmark.contestant.Contestant.INTERLOCK;
import static io.interlock.benchmark.contestant.Contestant.INTERLOCK_ANNOTATED;
import static io.interlock.benchmark.contestant.Contestant.INTERLOCK_UNQUEUED;
import static io.interlock.benchmark.contestant.Contestant.REDISSON;
import static io.interlock.benchmark.contestant.Contestant.SHEDLOCK;
import static io.interlock.benchmark.contestant.Contestant.SPRING_INTEGRATION;
import static io.interlock.benchmark.contestant.Contestant.SPRING_INTEGRATION_JDBC;
import static io.interlock.benchmark.contestant.Contestant.SPRING_INTEGRATION_REDIS;

/**
 * All scenarios, with the ratios that are aimed at.
 *
 * @since 0.1.0
 */
public final class Scenarios {

	/** How the name of a scenario ends whose servers are further away. */
	public static final String AWAY = "-away";

	private static final Duration FIVE_MILLIS = Duration.ofMillis(5);

	private static final List<Contestant> ALL = List.of(INTERLOCK, INTERLOCK_UNQUEUED, INTERLOCK_ANNOTATED,
			CURATOR_SHARED, CURATOR_PER_CALL, SPRING_INTEGRATION);

	private static final List<Contestant> WITHOUT_ANNOTATION = List.of(INTERLOCK, INTERLOCK_UNQUEUED, CURATOR_SHARED,
			CURATOR_PER_CALL, SPRING_INTEGRATION);

	private static final List<Contestant> WITH_BARE_NODES = List.of(INTERLOCK, INTERLOCK_UNQUEUED, CURATOR_SHARED,
			CURATOR_PER_CALL, SPRING_INTEGRATION, BARE_NODES);

	private static final List<Contestant> DEFAULTS = List.of(INTERLOCK, CURATOR_SHARED, CURATOR_PER_CALL,
			SPRING_INTEGRATION);

	private static final List<Contestant> WITH_MUTEXES = List.of(INTERLOCK, CURATOR_SHARED, CURATOR_PER_CALL);

	private static final List<Contestant> ON_STORES = Arrays.stream(Contestant.values())
		.filter((contestant) -> contestant.store() != null)
		.toList();

	private static final Map<Contestant, Double> GOALS_OF_STORES = Map.of(SHEDLOCK, 20.0, SPRING_INTEGRATION_JDBC, 20.0,
			SPRING_INTEGRATION_REDIS, 20.0, REDISSON, 20.0);

	private Scenarios() {
	}

	/**
	 * Return all of them.
	 * @return the scenarios, in the order in which they are run
	 */
	public static List<Scenario> all() {
		return Stream.of(near().stream(), sizes(), Stream.of(1, 5).flatMap(Scenarios::far))
			.flatMap(Function.identity())
			.toList();
	}

	/** How the cost of one lock grows. They run if they are named. */
	private static Stream<Scenario> sizes() {
		return Stream.of(new StoresScenario(new WaitersScenario()), new InstancesScenario(), new KeysGrowthScenario(),
				new LagScenario(), MemoryScenario.holding(), MemoryScenario.waiting());
	}

	private static List<Scenario> near() {
		return List.of(uncontended("uncontended-1", 1, ALL, Map.of(CURATOR_SHARED, 1.5)),
				uncontended("uncontended-8", 8, WITHOUT_ANNOTATION, Map.of(CURATOR_SHARED, 1.2)),
				uncontended("uncontended-32", 32, WITH_BARE_NODES, Map.of(CURATOR_SHARED, 1.15)),
				hot(8, DEFAULTS, Map.of()),
				hot(32, ALL, Map.of(CURATOR_SHARED, 200.0, CURATOR_PER_CALL, 40.0, SPRING_INTEGRATION, 200.0)),
				hot(128, DEFAULTS, Map.of(CURATOR_SHARED, 800.0, CURATOR_PER_CALL, 40.0, SPRING_INTEGRATION, 800.0)),
				new ThreadsContest("hot-32-1ms", "One hot key, 32 threads of one JVM, body of 1 ms, parked",
						LoadPlan.hot(32, Duration.ofMillis(1)), WITHOUT_ANNOTATION, Map.of()),
				new ThreadsContest("readers", "One hot key, 32 threads of one JVM, 90 % readers, empty body",
						LoadPlan.readers(32, 90),
						List.of(INTERLOCK, INTERLOCK_UNQUEUED, CURATOR_READ_WRITE_SHARED, CURATOR_READ_WRITE_PER_CALL),
						Map.of(CURATOR_READ_WRITE_SHARED, 50.0, CURATOR_READ_WRITE_PER_CALL, 35.0)),
				new LineScenario(FIVE_MILLIS, uncontended("rtt-1", 1, DEFAULTS, Map.of(CURATOR_SHARED, 2.5)), true),
				new LineScenario(FIVE_MILLIS, hot("rtt-hot-8", 8, DEFAULTS, Map.of()), true),
				new TryContest("try-elsewhere", "`waitTime=0` on a lock that another client holds, 1 thread", false,
						WITHOUT_ANNOTATION),
				new TryContest("try-here", "`waitTime=0` on a lock that the same client holds, 1 thread", true,
						WITHOUT_ANNOTATION),
				new AffinityScenario(), oneThreadEach("jvms-2x1", 2, WITH_MUTEXES),
				oneThreadEach("jvms-4x1", 4, WITH_MUTEXES),
				allThreads("jvms", DEFAULTS, Map.of(CURATOR_SHARED, 100.0, CURATOR_PER_CALL, 50.0)), jvmsWithBody(1),
				jvmsWithBody(10),
				new EnsembleScenario(uncontended("ensemble-1", 1, WITH_MUTEXES, Map.of(CURATOR_SHARED, 1.5))),
				new EnsembleScenario(uncontended("ensemble-8", 8, WITH_MUTEXES, Map.of(CURATOR_SHARED, 1.2))),
				new EnsembleScenario(oneThreadEach("ensemble-3x1", 3, WITH_MUTEXES)), CpuContest.free(),
				CpuContest.turns(), ColdContest.usual(), ColdContest.firstCompiler(), new IdleScenario(),
				new WaitingScenario(), new KeysScenario(), new AnnotationScenario(), new StartScenario(),
				new FenceScenario(), new StoresScenario(uncontended("stores-uncontended-1", 1, ON_STORES, Map.of())),
				new StoresScenario(uncontended("stores-uncontended-8", 8, ON_STORES, Map.of())),
				new StoresScenario(hot("stores-hot-32", 32, ON_STORES, GOALS_OF_STORES)),
				new StoresScenario(oneThreadEach("stores-jvms-2x1", 2, ON_STORES)),
				new StoresScenario(allThreads("stores-jvms", ON_STORES, Map.of())),
				new StoresScenario(new FailOverScenario(ON_STORES)));
	}

	/** Contests over a line, as in production. They run if they are named. */
	private static Stream<Scenario> far(int millis) {
		Duration roundTrip = Duration.ofMillis(millis);
		String end = "-%dms".formatted(millis) + AWAY;
		Stream<Scenario> turns = Stream.of(2, 4)
			.map((jvms) -> oneThreadEach("jvms-%dx1%s".formatted(jvms, end), jvms, WITH_MUTEXES));
		Stream<Scenario> stores = Stream.of(uncontended("stores-uncontended-1" + end, 1, ON_STORES, Map.of()),
				uncontended("stores-uncontended-8" + end, 8, ON_STORES, Map.of()),
				hot("stores-hot-32" + end, 32, ON_STORES, GOALS_OF_STORES),
				oneThreadEach("stores-jvms-2x1" + end, 2, ON_STORES),
				allThreads("stores-jvms" + end, ON_STORES, Map.of()));
		return Stream.concat(turns.map((scenario) -> new LineScenario(roundTrip, scenario, false)),
				stores.map((scenario) -> new StoresScenario(new LineScenario(roundTrip, scenario, false))));
	}

	private static Scenario uncontended(String name, int threads, List<Contestant> contestants,
			Map<Contestant, Double> goals) {
		return new ThreadsContest(name,
				"Uncontended, %s, empty body".formatted((threads == 1) ? "1 thread" : threads + " threads, own keys"),
				LoadPlan.uncontended(threads), contestants, goals);
	}

	private static Scenario oneThreadEach(String name, int jvms, List<Contestant> contestants) {
		return new ProcessesContest(name, "One lock, %d JVMs with 1 thread each, empty body".formatted(jvms), jvms,
				LoadPlan.hot(1, Duration.ZERO), contestants, Map.of(CURATOR_PER_CALL, 1.3));
	}

	private static Scenario allThreads(String name, List<Contestant> contestants, Map<Contestant, Double> goals) {
		return new ProcessesContest(name, "One hot key, 4 JVMs with 8 threads each, empty body", 4,
				LoadPlan.hot(8, Duration.ZERO), contestants, goals);
	}

	private static Scenario hot(int threads, List<Contestant> contestants, Map<Contestant, Double> goals) {
		return hot("hot-" + threads, threads, contestants, goals);
	}

	private static Scenario hot(String name, int threads, List<Contestant> contestants, Map<Contestant, Double> goals) {
		return new ThreadsContest(name, "One hot key, %d threads of one JVM, empty body".formatted(threads),
				LoadPlan.hot(threads, Duration.ZERO), contestants, goals);
	}

	private static Scenario jvmsWithBody(int millis) {
		return new ProcessesContest("jvms-%dms".formatted(millis),
				"One hot key, 4 JVMs with 8 threads each, body of %d ms, parked".formatted(millis), 4,
				LoadPlan.hot(8, Duration.ofMillis(millis)), List.of(INTERLOCK), Map.of());
	}

}

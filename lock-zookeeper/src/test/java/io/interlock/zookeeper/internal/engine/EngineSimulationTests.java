package io.interlock.zookeeper.internal.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.interlock.zookeeper.internal.engine.Simulation.Fault;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the attempts of the engine against simulated servers, in many schedules. A
 * schedule that violates a promise is told with all its steps.
 */
class EngineSimulationTests {

	/** How many schedules to run; more for a long hunt. A fourth as many are wide. */
	private static final long SCHEDULES = Long.getLong("interlock.simulation.schedules", 14_000);

	private static final long SEED = Long.getLong("interlock.simulation.seed", 0);

	private static final Logger DELETIONS = (Logger) LoggerFactory.getLogger(Deletions.class);

	/** Errors are logged, and there are thousands of them. */
	@BeforeAll
	static void logNoErrors() {
		DELETIONS.setLevel(Level.OFF);
	}

	@AfterAll
	static void logErrors() {
		DELETIONS.setLevel(null);
	}

	@Test
	void noScheduleViolatesAPromise() {
		assertThatNoneViolatesAPromise(SEED, SCHEDULES);
	}

	@Test
	void noWideScheduleViolatesAPromise() {
		assertThatNoneViolatesAPromise(-SEED - SCHEDULES / 4, SCHEDULES / 4);
	}

	private static void assertThatNoneViolatesAPromise(long first, long schedules) {
		long grants = 0;
		for (long seed = first; seed < first + schedules; seed++) {
			Simulation simulation = new Simulation(seed, Set.of());
			if (simulation.run() != null) {
				assertThat(String.join("\n", Simulation.trace(seed, Set.of()))).isEmpty();
			}
			grants += simulation.grants();
		}
		assertThat(grants).as("the simulation grants locks").isGreaterThan(schedules);
	}

	/** Each client has one write under way, so that two that wait travel together. */
	@ParameterizedTest
	@ValueSource(ints = { 1, -1 })
	void noScheduleViolatesAPromiseWhereWritesTravelTogether(int sign) {
		long together = 0;
		for (long seed = SEED + 1; seed <= SEED + SCHEDULES / 4; seed++) {
			Simulation simulation = new Simulation(sign * seed, Set.of(), 1, null);
			if (simulation.run() != null) {
				List<String> trace = new ArrayList<>();
				trace.add(new Simulation(sign * seed, Set.of(), 1, trace).run());
				assertThat(String.join("\n", trace)).as("seed %d", sign * seed).isEmpty();
			}
			together += simulation.together();
		}
		assertThat(together).as("transactions of several writes").isGreaterThan(SCHEDULES / 50);
	}

	@Test
	void listThatIsAskedForAgainAndCannotBeSentIsAnswered() {
		assertThat(new Simulation(-5028961, Set.of(), 1, null).run()).isNull();
	}

	/**
	 * Schedules that have found errors of the engine, and the errors.
	 */
	@ParameterizedTest(name = "{2}")
	@CsvSource(delimiter = '|', textBlock = """
			7739    |                            | granted although the own watch had failed
			42774   |                            | granted before the own watch was answered
			2568    | CUT DELETION               | granted by an event that came before that of the own node
			101198  | CHANGE DELETION            | own node not watched again after a change of its data
			102286  | DELETION ABANDONMENT       | own watch removed by another attempt, and the loss not told
			3883    |                            | node deleted before the other one was known to be old
			1054438 | CUT FAILURE ABANDONMENT    | node left behind after a sync that was not answered
			-5706   |                            | node left behind by a stop between the halves of an abandonment
			""")
	void errorsOfThePastStayMended(long seed, String faults, String error) {
		Set<Fault> focus = Simulation.faults((faults != null) ? List.of(faults.trim().split(" ")) : List.of());
		assertThat(String.join("\n", Simulation.trace(seed, focus))).endsWith("\nno violation");
	}

	@Test
	void seedRepeatsItsScheduleStepByStep() {
		for (long seed = -50; seed < 50; seed++) {
			assertThat(Simulation.trace(seed, Set.of())).isEqualTo(Simulation.trace(seed, Set.of()));
		}
	}

	@Test
	void seedsDiffer() {
		assertThat(Simulation.trace(1, Set.of()).subList(1, 20))
			.isNotEqualTo(Simulation.trace(2, Set.of()).subList(1, 20));
	}

}

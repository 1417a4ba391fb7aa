package io.interlock.zookeeper.internal.session;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.zookeeper.internal.session.OutageSimulation.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the changes that a holder sees in one interruption of the line, on a
 * simulated clock.
 */
class OutageSimulationTests {

	/**
	 * The interruption begins at every moment between two beats.
	 */
	@ParameterizedTest
	@CsvSource({ "RESET,1", "RESET,12", "RESET,14", "RESET,15", "RESET,16", "RESET,18", "RESET,20", "RESET,22",
			"SILENCE,15", "SILENCE,16", "SILENCE,17", "SILENCE,18", "SILENCE,19", "SILENCE,20", "SILENCE,22" })
	@Proves(value = Promise.VALIDITY, under = Fault.EVERY_OUTAGE, note = "of 1 to 22 s, on a simulated clock")
	void holdIsDoubtedOnceAndValidAgainOnce(Kind kind, int seconds) {
		Map<Duration, List<Boolean>> changes = new TreeMap<>();
		for (int tenths = 0; tenths < 30; tenths++) {
			Duration after = Duration.ofSeconds(40).plusMillis(100 * tenths);
			changes.put(after, new OutageSimulation(kind, after, Duration.ofSeconds(seconds)).run());
		}
		assertThat(changes).as("changes by when the line was cut")
			.allSatisfy((after, seen) -> assertThat(seen).isIn(List.of(), List.of(false, true)));
	}

	@ParameterizedTest
	@CsvSource({ "true,5200", "false,7600" })
	void silenceOfTheServersIsKnownInTime(boolean busy, long latestMillis) {
		for (int tenths = 0; tenths < 60; tenths++) {
			Duration after = Duration.ofSeconds(40).plusMillis(100 * tenths);
			OutageSimulation simulation = new OutageSimulation(Kind.SILENCE, after, Duration.ofSeconds(12), busy);
			simulation.run();
			assertThat(simulation.late()).as("late, with a cut at %s", after).isNotEmpty();
			assertThat(simulation.late().get(0)).isBetween(Duration.ofMillis(2500), Duration.ofMillis(latestMillis));
			assertThat(simulation.late()).last().isEqualTo(Duration.ofSeconds(12).plusMillis(10));
		}
	}

	/**
	 * A wait that ends from the second beat without an answer on has no contention, and
	 * one that ends before the silence, or after it, has.
	 */
	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.THE_SERVERS_ARE_SILENT, note = "on a simulated clock")
	void silenceOfTheServersIsNoContention() {
		for (int tenths = 0; tenths < 60; tenths++) {
			Duration after = Duration.ofSeconds(40).plusMillis(100 * tenths);
			OutageSimulation simulation = new OutageSimulation(Kind.SILENCE, after, Duration.ofSeconds(12));
			simulation.run();
			List<Duration> unknown = simulation.unknown();
			assertThat(unknown.get(0)).isBetween(Duration.ofMillis(2500), Duration.ofMillis(5200));
			assertThat(unknown).last().isEqualTo(Duration.ofSeconds(12).plusMillis(10));
			Duration length = unknown.get(unknown.size() - 1).minus(unknown.get(0));
			assertThat(unknown).as("without a gap").hasSize((int) length.toMillis() / 10 + 1);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void answersAreNotLateAfterAConnectionThatWasReset(boolean busy) {
		OutageSimulation simulation = new OutageSimulation(Kind.RESET, Duration.ofSeconds(41), Duration.ofSeconds(12),
				busy);
		simulation.run();
		assertThat(simulation.late()).isEmpty();
	}

}

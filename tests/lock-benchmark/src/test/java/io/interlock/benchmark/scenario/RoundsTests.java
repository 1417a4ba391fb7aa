package io.interlock.benchmark.scenario;

import java.util.LinkedHashMap;
import java.util.Map;

import io.interlock.benchmark.contestant.Contestant;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Rounds} and {@link Fairness}.
 */
class RoundsTests {

	@Test
	void comparesMediansAndJudgesGoals() {
		Rounds rounds = new Rounds();
		for (double rate : new double[] { 100_000, 50_000, 120_000 }) {
			rounds.add(Contestant.INTERLOCK, Map.of("locks/s", rate));
		}
		for (double rate : new double[] { 400, 500, 900 }) {
			rounds.add(Contestant.CURATOR_SHARED, Map.of("locks/s", rate));
		}
		assertThat(rounds.table(Map.of(Contestant.CURATOR_SHARED, 200.0)).toString()).isEqualTo("""
				|  | locks/s | lowest to highest | Interlock is | goal |
				|---|---:|---:|---:|---:|
				| Interlock, queue on | 100,000 | 50,000 to 120,000 |  |  |
				| Curator, one mutex per key | 500 | 400 to 900 | 200 x | 200 x: met |
				""");
	}

	@Test
	void comparesWithInterlockOnTheSameStore() {
		Rounds rounds = new Rounds();
		rounds.add(Contestant.INTERLOCK_ON_ZOOKEEPER, Map.of("locks/s", 7.0));
		rounds.add(Contestant.INTERLOCK_ON_POSTGRESQL, Map.of("locks/s", 300.0));
		rounds.add(Contestant.SHEDLOCK, Map.of("locks/s", 100.0));
		rounds.add(Contestant.INTERLOCK_ON_REDIS, Map.of("locks/s", 5000.0));
		rounds.add(Contestant.REDISSON, Map.of("locks/s", 500.0));
		assertThat(rounds.table(Map.of(Contestant.SHEDLOCK, 20.0)).toString()).isEqualTo("""
				|  | locks/s | lowest to highest | Interlock is | goal |
				|---|---:|---:|---:|---:|
				| Interlock on ZooKeeper | 7.00 | 7.00 to 7.00 |  |  |
				| Interlock on PostgreSQL | 300 | 300 to 300 |  |  |
				| ShedLock on PostgreSQL, polled | 100 | 100 to 100 | 3.00 x | 20.0 x: missed |
				| Interlock on Redis | 5,000 | 5,000 to 5,000 |  |  |
				| Redisson on Redis | 500 | 500 to 500 | 10.0 x |  |
				""");
	}

	@Test
	void comparesEachReadingAndTakesLessTimeForBetter() {
		Rounds rounds = new Rounds();
		rounds.add(Contestant.INTERLOCK, readings(200, 900));
		rounds.add(Contestant.CURATOR_SHARED, readings(400, 600));
		assertThat(rounds.tables(Map.of(Contestant.CURATOR_SHARED, 1.8))).isEqualTo("""
				|  | first lock, ms | lowest to highest | Interlock is | goal |
				|---|---:|---:|---:|---:|
				| Interlock, queue on | 200 | 200 to 200 |  |  |
				| Curator, one mutex per key | 400 | 400 to 400 | 2.00 x | 1.80 x: met |

				|  | locks/s | lowest to highest | Interlock is | goal |
				|---|---:|---:|---:|---:|
				| Interlock, queue on | 900 | 900 to 900 |  |  |
				| Curator, one mutex per key | 600 | 600 to 600 | 1.50 x | 1.80 x: missed |
				""");
	}

	private static Map<String, Double> readings(double firstLock, double rate) {
		Map<String, Double> readings = new LinkedHashMap<>();
		readings.put("first lock, ms", firstLock);
		readings.put("locks/s", rate);
		return readings;
	}

	@Test
	void jainsIndexTellsHowEvenlyIsShared() {
		assertThat(Fairness.ofJain(new long[] { 5, 5, 5, 5 })).isEqualTo(1);
		assertThat(Fairness.ofJain(new long[] { 20, 0, 0, 0 })).isEqualTo(0.25);
	}

}

package io.interlock.benchmark.scenario;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.load.LoadPlan;
import io.interlock.benchmark.load.Pace;
import io.interlock.benchmark.load.Tally;

/**
 * A contest for the least processor time of a lock, in the clients and in the server.
 */
final class CpuContest extends FleetContest {

	/** A JVM that has locked 10,000 times still compiles. */
	private static final int WARM_UPS = 8;

	private static final int NANOS_PER_MICRO = 1000;

	private CpuContest(String name, String locks, int jvms) {
		super(name, locks + ": processor time of all threads of client and server", jvms,
				LoadPlan.hot(1, Duration.ZERO),
				List.of(Contestant.INTERLOCK, Contestant.INTERLOCK_ANNOTATED, Contestant.CURATOR_SHARED,
						Contestant.CURATOR_PER_CALL),
				Map.of(Contestant.CURATOR_SHARED, 1.0, Contestant.CURATOR_PER_CALL, 1.0));
	}

	/** A lock that no other client wants. */
	static CpuContest free() {
		return new CpuContest("cpu", "A free lock, 1 thread", 1);
	}

	/** A lock that goes to and fro between two clients. */
	static CpuContest turns() {
		return new CpuContest("cpu-2x1", "One lock, 2 JVMs with 1 thread each", 2);
	}

	@Override
	Pace pace(Contestant contestant, Site site) {
		return new Pace(Duration.ZERO, Duration.ofMillis((long) (site.seconds() * 1000)));
	}

	@Override
	void prepare(Fleet fleet) {
		for (int i = 0; i < WARM_UPS; i++) {
			fleet.run();
		}
	}

	@Override
	Map<String, Double> measure(Fleet fleet, Site site) {
		long clientsBefore = fleet.processorTime();
		long serverBefore = ProcessorTime.of(site.server().pid());
		Tally all = fleet.run().stream().reduce(Tally.NOTHING, Tally::plus);
		double clients = fleet.processorTime() - clientsBefore;
		double server = ProcessorTime.of(site.server().pid()) - serverBefore;
		double locks = all.exclusiveHolders();
		Map<String, Double> readings = new LinkedHashMap<>();
		readings.put("locks per second of CPU", locks / Readings.seconds(clients + server));
		readings.put("CPU per lock, microseconds", (clients + server) / NANOS_PER_MICRO / locks);
		readings.put("of it in clients", clients / NANOS_PER_MICRO / locks);
		readings.put("of it in the server", server / NANOS_PER_MICRO / locks);
		readings.put("locks/s", all.orFail().rate());
		return readings;
	}

}

package io.interlock.benchmark.scenario;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.scenario.ClientProcess.Cost;

/**
 * A contest for the least processor time of a call on a free lock. The JVMs of the
 * contestants stay for all rounds, because a young JVM spends more time on compiling than
 * on locks.
 */
final class CpuContest extends Contest {

	private static final int CALLS_PER_SECOND = 1000;

	private static final int WARM_UP = 20;

	private final Map<Contestant, ClientProcess> clients = new EnumMap<>(Contestant.class);

	CpuContest() {
		super("cpu", "Uncontended, 1 thread: processor time of all threads of the client", List.of(Contestant.INTERLOCK,
				Contestant.INTERLOCK_ANNOTATED, Contestant.CURATOR_SHARED, Contestant.CURATOR_PER_CALL),
				Map.of(Contestant.CURATOR_SHARED, 1.0));
	}

	@Override
	public String run(Site site) throws Exception {
		try {
			return super.run(site);
		}
		finally {
			this.clients.values().forEach(ClientProcess::close);
			this.clients.clear();
		}
	}

	@Override
	void prepare(List<Contestant> contestants, Site site) {
		for (Contestant contestant : contestants) {
			ClientProcess client = new ClientProcess(contestant, site.connectString(1), site);
			this.clients.put(contestant, client);
			client.beginCalls(WARM_UP * calls(site));
		}
		for (ClientProcess client : this.clients.values()) {
			client.awaitCost();
		}
	}

	private static int calls(Site site) {
		return (int) (site.seconds() * CALLS_PER_SECOND);
	}

	@Override
	Map<String, Double> measure(Contestant contestant, Site site) {
		double calls = calls(site);
		ClientProcess client = Objects.requireNonNull(this.clients.get(contestant));
		client.beginCalls(calls(site));
		Cost cost = client.awaitCost();
		Map<String, Double> readings = new LinkedHashMap<>();
		readings.put("locks per second of CPU", calls / Readings.seconds(cost.cpu()));
		readings.put("CPU per lock, microseconds", Readings.seconds(cost.cpu()) * 1_000_000 / calls);
		readings.put("locks/s", calls / Readings.seconds(cost.elapsed()));
		return readings;
	}

}

package io.interlock.benchmark.scenario;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

import io.interlock.benchmark.contestant.Contestant;

/**
 * What an instance needs that holds many locks, or waits for as many.
 */
final class MemoryScenario extends SizeScenario {

	private static final long LOCKS = 10_000;

	private static final long SMALLEST = 1000;

	private static final long WITH_A_THREAD_EACH = 1000;

	private static final List<String> JVM_OPTIONS = List.of("-Xmx256m", Footprint.JVM_OPTION);

	private final boolean waiting;

	private MemoryScenario(String name, String title, boolean waiting) {
		super(name, title, "locks", List.of(Contestant.INTERLOCK, Contestant.CURATOR_PER_CALL));
		this.waiting = waiting;
	}

	static MemoryScenario holding() {
		return new MemoryScenario("size-memory-held", "Memory and threads of an instance that holds locks", false);
	}

	static MemoryScenario waiting() {
		return new MemoryScenario("size-memory-waiting",
				"Memory and threads of an instance that waits for locks, each of which another one holds", true);
	}

	@Override
	LongStream sizes(Site site) {
		return decades(SMALLEST, site.limit(LOCKS));
	}

	@Override
	long largest(Contestant contestant) {
		return (this.waiting && contestant != contestant.reference()) ? WITH_A_THREAD_EACH : Long.MAX_VALUE;
	}

	@Override
	Map<String, Double> measure(Contestant contestant, long locks, Site site) {
		if (!this.waiting) {
			return readings(contestant, (int) locks, site);
		}
		try (ClientProcess holder = client(contestant, site)) {
			holder.hold((int) locks + 1);
			Map<String, Double> readings = readings(contestant, (int) locks, site);
			holder.end();
			return readings;
		}
	}

	private Map<String, Double> readings(Contestant contestant, int locks, Site site) {
		try (ClientProcess client = client(contestant, site)) {
			Footprint before = add(client, 1, site, contestant);
			Footprint after = add(client, locks, site, contestant);
			client.end();
			double heap = (after.heap() - before.heap()) / (double) locks;
			double stacks = (after.stacks() - before.stacks()) / (double) locks;
			Map<String, Double> readings = new LinkedHashMap<>();
			readings.put("bytes a lock", heap + stacks);
			readings.put("of the heap", heap);
			readings.put("of stacks of threads", stacks);
			readings.put("threads added", (double) after.threads() - before.threads());
			return readings;
		}
	}

	private static ClientProcess client(Contestant contestant, Site site) {
		return new ClientProcess(contestant, site.address(contestant, 1), site, JVM_OPTIONS);
	}

	private Footprint add(ClientProcess client, int locks, Site site, Contestant contestant) {
		if (this.waiting) {
			client.beginToWait(locks);
			awaitQueued(site.server(contestant));
		}
		else {
			client.hold(locks);
		}
		return client.footprint();
	}

	@Override
	public String run(Site site) throws Exception {
		return "%s%nThe heap is measured after a collection, stacks as the JVM has committed them.%s%n".formatted(
				super.run(site),
				this.waiting ? " Waiters of Curator take a thread each, so there are %,d of them at the most."
					.formatted(WITH_A_THREAD_EACH) : "");
	}

}

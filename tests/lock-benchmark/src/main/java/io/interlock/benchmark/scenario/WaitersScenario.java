package io.interlock.benchmark.scenario;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import io.interlock.LockMode;
import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.contestant.Locks;
import io.interlock.benchmark.load.ExclusionViolation;
import io.interlock.benchmark.load.PlainExclusionCheck;
import io.interlock.benchmark.store.StoreServer;

/**
 * Waiters of many instances that stand behind one holder: what it costs until each of
 * them has had the lock once. An instance is a client of this process, with a session or
 * with connections of its own.
 */
final class WaitersScenario extends SizeScenario {

	private static final long WAITERS = 10_000;

	private static final long SMALLEST = 10;

	private static final int INSTANCES = 100;

	/** Each of them has a pool of ten connections, or an event loop. */
	private static final int INSTANCES_ON_OTHER_STORES = 10;

	private static final long WITH_A_THREAD_EACH = 1000;

	private static final String KEY = "waiters";

	private static final long WARM_UP = 1000;

	private static final long PATIENCE_MINUTES = 5;

	/** What clients cost of which none waits, by contestant and number. */
	private final Map<String, Cost> costOfClients = new HashMap<>();

	WaitersScenario() {
		super("size-waiters",
				"Waiters of %d instances (%d on other stores) for one lock that is held, empty body"
					.formatted(INSTANCES, INSTANCES_ON_OTHER_STORES),
				"waiters", List.of(Contestant.INTERLOCK, Contestant.CURATOR_PER_CALL,
						Contestant.INTERLOCK_ON_POSTGRESQL, Contestant.INTERLOCK_ON_REDIS));
	}

	@Override
	LongStream sizes(Site site) {
		return decades(SMALLEST, site.limit(WAITERS));
	}

	@Override
	long largest(Contestant contestant) {
		return (contestant != contestant.reference()) ? WITH_A_THREAD_EACH : Long.MAX_VALUE;
	}

	@Override
	public String run(Site site) throws Exception {
		this.costOfClients.clear();
		return "%s%nRequests are counted from the first waiter on, without those that connect.%nWaiters of Curator take a thread each, so there are %,d of them at the most.%n"
			.formatted(super.run(site), WITH_A_THREAD_EACH);
	}

	@Override
	Map<String, Double> measure(Contestant contestant, long waiters, Site site) throws Exception {
		int instances = (int) Math.min(waiters, (contestant.store() != null) ? INSTANCES_ON_OTHER_STORES : INSTANCES);
		String clients = contestant + " " + instances;
		Cost ofClients = this.costOfClients.get(clients);
		if (ofClients == null) {
			grantAll(contestant, instances, Math.min(site.limit(WAITERS), WARM_UP), site);
			ofClients = grantAll(contestant, instances, 0, site);
			this.costOfClients.put(clients, ofClients);
		}
		Cost cost = grantAll(contestant, instances, waiters, site);
		double seconds = Readings.seconds(cost.nanos());
		Map<String, Double> readings = new LinkedHashMap<>();
		readings.put("microseconds a grant", seconds * 1_000_000 / waiters);
		readings.put("all had it after, s", seconds);
		readings.put("grants/s", waiters / seconds);
		readings.put("requests a grant", (cost.requests() - ofClients.requests()) / (double) waiters);
		return readings;
	}

	private static Cost grantAll(Contestant contestant, int instances, long waiters, Site site) throws Exception {
		StoreServer server = site.server(contestant);
		long before = server.requests();
		List<Locks> clients = new ArrayList<>();
		long nanos;
		try {
			for (int number = 0; number <= instances; number++) {
				clients.add(contestant.connect(site.address(contestant, 1)));
			}
			nanos = grantAll(clients.get(0), clients.subList(1, clients.size()), waiters, server);
		}
		finally {
			clients.forEach(Locks::close);
		}
		return new Cost(nanos, server.requests() - before);
	}

	private static long grantAll(Locks first, List<Locks> instances, long waiters, StoreServer server)
			throws Exception {
		PlainExclusionCheck check = new PlainExclusionCheck();
		List<CompletableFuture<?>> all = new ArrayList<>();
		long releasedAt;
		try (Holder holder = Holder.hold(first, KEY)) {
			for (int i = 0; i < waiters; i++) {
				long waiter = 1 + i;
				all.add(instances.get(i % instances.size()).whenFree(KEY, () -> pass(check, waiter)));
			}
			awaitQueued(server);
			holder.check();
			releasedAt = System.nanoTime();
		}
		CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(PATIENCE_MINUTES, TimeUnit.MINUTES);
		long nanos = System.nanoTime() - releasedAt;
		if (check.exclusiveHolders() != waiters) {
			throw new ExclusionViolation("%d holders, but %d seen".formatted(waiters, check.exclusiveHolders()));
		}
		return nanos;
	}

	private static void pass(PlainExclusionCheck check, long waiter) {
		check.enter(waiter, LockMode.EXCLUSIVE);
		check.exit(waiter, LockMode.EXCLUSIVE);
	}

	/**
	 * What it has cost.
	 *
	 * @param nanos time from the release of the first holder to the last release
	 * @param requests requests to the server, those of connecting included
	 */
	private record Cost(long nanos, long requests) {

	}

}

package io.interlock.benchmark.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.store.StoreServer;

/**
 * How long a lock is not to be had after the JVM of its holder was killed, and after its
 * store was killed and started again. Each client is a JVM of its own. All contestants
 * have the same lease.
 */
final class FailOverScenario implements Scenario {

	private static final Duration LEASE = Duration.ofSeconds(10);

	/** For the waiting client to ask the store, or to join its queue. */
	private static final long NANOS_TO_QUEUE = TimeUnit.SECONDS.toNanos(1);

	private final List<Contestant> contestants;

	FailOverScenario(List<Contestant> contestants) {
		this.contestants = contestants;
	}

	@Override
	public String name() {
		return "stores-failover";
	}

	@Override
	public String title() {
		return "Kill of a holder and kill of the store, leases of %d s".formatted(LEASE.toSeconds());
	}

	@Override
	public String run(Site site) throws Exception {
		Table table = new Table(List.of("", "kill -9 of the holder to the next grant, ms", "lowest to highest",
				"store killed, served again, ms", "kill of the store to the grant of a free lock, ms",
				"lowest to highest", "held lock granted again"));
		Map<Contestant, List<Outcome>> outcomes = new EnumMap<>(Contestant.class);
		for (int round = 1; round <= site.rounds(); round++) {
			for (Contestant contestant : this.contestants.stream().filter(site::has).toList()) {
				Outcome outcome = measure(contestant, site);
				System.err.printf("%s, round %d, %s: %s%n", name(), round, contestant.title(), outcome);
				outcomes.computeIfAbsent(contestant, (added) -> new ArrayList<>()).add(outcome);
			}
		}
		outcomes.forEach((contestant, all) -> table.add(row(contestant, all)));
		return table.toString();
	}

	private static List<String> row(Contestant contestant, List<Outcome> outcomes) {
		Figures killed = figures(outcomes, Outcome::grantedAfterHolder);
		Figures recovered = figures(outcomes, Outcome::recovered);
		Figures granted = figures(outcomes, Outcome::grantedAfterStore);
		long twice = outcomes.stream().filter(Outcome::twice).count();
		return List.of(contestant.title(), Table.number(killed.median()), killed.range(),
				Table.number(recovered.median()), Table.number(granted.median()), granted.range(),
				"%d of %d".formatted(twice, outcomes.size()));
	}

	private static Figures figures(List<Outcome> outcomes, ToDoubleFunction<Outcome> reading) {
		return new Figures(outcomes.stream().mapToDouble(reading).toArray());
	}

	private static Outcome measure(Contestant contestant, Site site) {
		StoreServer server = site.server(contestant);
		try (FailOverClient holder = new FailOverClient(contestant, server.address(), LEASE, site);
				FailOverClient survivor = new FailOverClient(contestant, server.address(), LEASE, site);
				FailOverClient other = new FailOverClient(contestant, server.address(), LEASE, site)) {
			List.of(holder, survivor, other).forEach(FailOverClient::awaitReady);
			double afterHolder = killHolder(holder, other);
			survivor.hold("kept");
			long killedAt = System.nanoTime();
			server.kill();
			CompletableFuture<Double> recovery = CompletableFuture.supplyAsync(() -> {
				server.recover();
				return millisSince(killedAt);
			});
			other.beginToLock(FailOverClient.FREE);
			other.awaitGrant(FailOverClient.FREE);
			double afterStore = millisSince(killedAt);
			return new Outcome(afterHolder, recovery.join(), afterStore, other.isGranted("kept"));
		}
	}

	private static double killHolder(FailOverClient holder, FailOverClient other) {
		holder.hold("held");
		other.beginToLock("held");
		LockSupport.parkNanos(NANOS_TO_QUEUE);
		long killedAt = System.nanoTime();
		holder.close();
		other.awaitGrant("held");
		return millisSince(killedAt);
	}

	private static double millisSince(long instant) {
		return Readings.millis(System.nanoTime() - instant);
	}

	/**
	 * What came out once.
	 *
	 * @param grantedAfterHolder time from the kill of the holder to the next grant, in ms
	 * @param recovered time from the kill of the store until it served again, in ms
	 * @param grantedAfterStore time from the kill of the store to the grant of a free
	 * lock, in ms
	 * @param twice whether a lock that a living client held was granted to another one
	 * then
	 */
	private record Outcome(double grantedAfterHolder, double recovered, double grantedAfterStore, boolean twice) {

	}

}

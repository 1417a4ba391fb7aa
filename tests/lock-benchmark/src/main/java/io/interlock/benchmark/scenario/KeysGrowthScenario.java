package io.interlock.benchmark.scenario;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.contestant.Locks;
import io.interlock.benchmark.store.Store;
import io.interlock.benchmark.store.StoreServer;

/**
 * Keys that are each locked once, each time on a server of its own: what such a lock
 * costs, and what is left of it in this JVM and on the server.
 */
final class KeysGrowthScenario extends SizeScenario {

	private static final long KEYS = 100_000;

	private static final long SMALLEST = 10_000;

	private static final long WARM_UP = 2000;

	private static final int THREADS = 32;

	/** For how long entries may go after the last key. */
	private static final long NANOS_TO_CLEAR = TimeUnit.SECONDS.toNanos(10);

	private static final double MEGABYTE = 1024 * 1024;

	KeysGrowthScenario() {
		super("size-keys", "Keys that are each locked once by one of %d threads".formatted(THREADS), "keys",
				List.of(Contestant.INTERLOCK, Contestant.CURATOR_PER_CALL, Contestant.INTERLOCK_ON_POSTGRESQL,
						Contestant.INTERLOCK_ON_REDIS));
	}

	@Override
	LongStream sizes(Site site) {
		return decades(SMALLEST, site.limit(KEYS));
	}

	@Override
	int rounds(Site site) {
		return 1;
	}

	@Override
	Map<String, Double> measure(Contestant contestant, long keys, Site site) throws Exception {
		Store store = Objects.requireNonNullElse(contestant.store(), Store.ZOOKEEPER);
		Path directory = site.directory().resolve("size-keys");
		try (StoreServer server = store.start(directory); Locks locks = contestant.connect(server.address())) {
			long entries = server.entries();
			new KeyLoad(locks, "warm", WARM_UP, THREADS).awaitEnd();
			double heap = Sample.heapAfterCollection();
			long startedAt = System.nanoTime();
			new KeyLoad(locks, "key", keys, THREADS).awaitEnd();
			long endedAt = System.nanoTime();
			double seconds = Readings.seconds(endedAt - startedAt);
			Map<String, Double> readings = new LinkedHashMap<>();
			readings.put("microseconds a lock", seconds * 1_000_000 / keys);
			readings.put("locks/s", keys / seconds);
			readings.put("entries left of a key", entriesOfAKey(server, entries, keys));
			while (server.entries() > entries && System.nanoTime() - endedAt < NANOS_TO_CLEAR) {
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
			}
			readings.put("%d s later".formatted(TimeUnit.NANOSECONDS.toSeconds(NANOS_TO_CLEAR)),
					entriesOfAKey(server, entries, keys));
			readings.put("heap after GC, bytes a key", (Sample.heapAfterCollection() - heap) * MEGABYTE / keys);
			return readings;
		}
	}

	private static double entriesOfAKey(StoreServer server, long before, long keys) {
		return (server.entries() - before) / (double) (keys + WARM_UP);
	}

	@Override
	public String run(Site site) throws Exception {
		return "%s%nEntries are nodes, rows or keys, without those that were there before.%n"
			.formatted(super.run(site));
	}

}

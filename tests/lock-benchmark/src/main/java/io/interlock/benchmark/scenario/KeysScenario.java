package io.interlock.benchmark.scenario;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.contestant.Locks;

/**
 * Keys that are each locked once: what is left of them in this JVM and on the server.
 */
final class KeysScenario implements Scenario {

	private static final long KEYS = 20_000;

	private static final int THREADS = 8;

	private static final int WARM_UP = 2000;

	/** For how many times the length of a round the server is watched afterwards. */
	private static final int ROUNDS_AFTER = 24;

	private static final long NANOS_BETWEEN_SAMPLES = TimeUnit.SECONDS.toNanos(5);

	@Override
	public String name() {
		return "keys";
	}

	@Override
	public String title() {
		return "Keys without end, each locked once by one of 8 threads";
	}

	@Override
	public String run(Site site) throws Exception {
		long keys = site.limit(KEYS);
		Table table = new Table(List.of("", "time, s", "keys", "keys/s", "heap after GC, MB", "entries",
				"threads of this JVM", "znodes on the server", "watches on the server"));
		try (Locks locks = Contestant.INTERLOCK.connect(site.server().connectString())) {
			new KeyLoad(locks, "warm", WARM_UP, THREADS).awaitEnd();
			Sample before = Sample.take(site.server(), locks, 0);
			table.add(before.row("before", before, true));
			KeyLoad load = new KeyLoad(locks, "key", keys, THREADS);
			Sample last = before;
			while (!load.awaitEnd(NANOS_BETWEEN_SAMPLES * Math.max(1, keys / 200_000))) {
				last = add(table, "", last, site, locks, load, false);
			}
			last = add(table, "all done", last, site, locks, load, true);
			long end = System.nanoTime() + (long) (site.seconds() * ROUNDS_AFTER * TimeUnit.SECONDS.toNanos(1));
			while (last.znodes() > before.znodes() && System.nanoTime() < end) {
				LockSupport.parkNanos(NANOS_BETWEEN_SAMPLES);
				last = add(table, "", last, site, locks, load, false);
			}
			Sample after = Sample.take(site.server(), locks, load.done());
			table.add(after.row("after", last, true));
		}
		return table.toString();
	}

	private static Sample add(Table table, String title, Sample before, Site site, Locks locks, KeyLoad load,
			boolean heap) {
		Sample sample = Sample.take(site.server(), locks, load.done());
		table.add(sample.row(title, before, heap));
		System.err.println(sample);
		return sample;
	}

}

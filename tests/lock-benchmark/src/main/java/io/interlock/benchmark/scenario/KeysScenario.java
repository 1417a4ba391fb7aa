package io.interlock.benchmark.scenario;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.contestant.Locks;

/**
 * Keys that are each locked once: what is left of them in this JVM and on the server.
 */
final class KeysScenario implements Scenario {

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
		Table table = new Table(List.of("", "time, s", "keys", "keys/s", "heap after GC, MB", "entries",
				"threads of this JVM", "znodes on the server", "watches on the server"));
		try (Locks locks = Contestant.INTERLOCK.connect(site.server().connectString())) {
			new KeyLoad(locks, "warm", WARM_UP).awaitEnd();
			Sample before = Sample.take(site.server(), locks, 0);
			table.add(before.row("before", before, true));
			KeyLoad load = new KeyLoad(locks, "key", site.keys());
			Sample last = before;
			while (!load.awaitEnd(NANOS_BETWEEN_SAMPLES * Math.max(1, site.keys() / 200_000))) {
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

	/**
	 * Threads that take one key after the other.
	 */
	private static final class KeyLoad {

		private static final int THREADS = 8;

		private final Thread[] threads = new Thread[THREADS];

		private final AtomicLong next = new AtomicLong();

		private final AtomicLong done = new AtomicLong();

		KeyLoad(Locks locks, String prefix, long keys) {
			for (int i = 0; i < THREADS; i++) {
				this.threads[i] = new Thread(() -> work(locks, prefix, keys), "keys");
				this.threads[i].setDaemon(true);
				this.threads[i].start();
			}
		}

		private void work(Locks locks, String prefix, long keys) {
			for (long key = this.next.getAndIncrement(); key < keys; key = this.next.getAndIncrement()) {
				try {
					locks.exclusively(prefix + key, this.done::incrementAndGet);
				}
				catch (Exception ex) {
					throw new IllegalStateException("Key %d cannot be locked".formatted(key), ex);
				}
			}
		}

		long done() {
			return this.done.get();
		}

		void awaitEnd() throws InterruptedException {
			awaitEnd(TimeUnit.HOURS.toNanos(1));
		}

		boolean awaitEnd(long nanos) throws InterruptedException {
			long deadline = System.nanoTime() + nanos;
			boolean ended = true;
			for (Thread thread : this.threads) {
				thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
				ended &= !thread.isAlive();
			}
			return ended;
		}

	}

}

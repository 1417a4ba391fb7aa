package io.interlock.benchmark.scenario;

import java.lang.management.ManagementFactory;
import java.util.List;

import io.interlock.benchmark.contestant.Locks;
import io.interlock.testsupport.server.Server;

/**
 * What this JVM and the server hold at one moment.
 *
 * @param at when, as {@link System#nanoTime} tells it
 * @param keys how many keys were locked so far
 * @param entries locks that something is kept about
 * @param threads threads of this JVM
 * @param znodes nodes on the server
 * @param watches watches on the server
 */
record Sample(long at, long keys, int entries, int threads, long znodes, long watches) {

	private static final long STARTED_AT = System.nanoTime();

	private static final double MEGABYTE = 1024 * 1024;

	private static final int COLLECTIONS = 3;

	static Sample take(Server server, Locks locks, long keys) {
		return new Sample(System.nanoTime(), keys, locks.entries(),
				ManagementFactory.getThreadMXBean().getThreadCount(), server.monitored("zk_znode_count"),
				server.monitored("zk_watch_count"));
	}

	List<String> row(String title, Sample before, boolean heap) {
		double seconds = Readings.seconds(this.at - before.at);
		return List.of(title, Table.number(Readings.seconds(this.at - STARTED_AT)), Table.number(this.keys),
				(seconds > 0 && this.keys > before.keys) ? Table.number((this.keys - before.keys) / seconds) : "",
				heap ? Table.number(heapAfterCollection()) : "", Integer.toString(this.entries),
				Integer.toString(this.threads), Table.number(this.znodes), Table.number(this.watches));
	}

	static double heapAfterCollection() {
		for (int i = 0; i < COLLECTIONS; i++) {
			System.gc();
		}
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MEGABYTE;
	}

}

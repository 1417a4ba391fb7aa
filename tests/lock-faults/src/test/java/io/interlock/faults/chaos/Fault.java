package io.interlock.faults.chaos;

import java.util.List;
import java.util.function.Consumer;

import io.interlock.faults.worker.Fleet;
import io.interlock.testsupport.proxy.TcpProxy;

/**
 * What can go wrong. Its action breaks something and, after the time that it is given,
 * mends it.
 *
 * @param kind its name
 * @param lane what it follows
 * @param minMillis how long it lasts at least
 * @param maxMillis how long it lasts at the most
 * @param action what it does
 */
record Fault(String kind, Lane lane, int minMillis, int maxMillis, Action action) {

	static final String INSTANCE_CLOSED = "INSTANCE_CLOSED";

	/**
	 * Faults of workers, and of their links to the servers.
	 */
	static final List<Fault> OF_CLIENTS = List.of(link("CLIENT_BLACK_HOLED", 100, 9000, TcpProxy::blackHole),
			link("CLIENT_REPLIES_DROPPED", 100, 9000, TcpProxy::holdReplies),
			link("CLIENT_REFUSED", 50, 9000, TcpProxy::refuse), link("CLIENT_RESET", 1, 2, TcpProxy::cut),
			new Fault("CLIENT_SLOW", Lane.LINKS, 500, 3000, (site) -> site.slow(site.worker())),
			worker("WORKER_STOPPED_SHORTLY", 50, 1500, (site) -> site.stop(site.worker())),
			worker("WORKER_STOPPED_LONG", 3000, 9000, (site) -> site.stop(site.worker())),
			worker("ALL_WORKERS_STOPPED", 500, 9000, Site::stopAllWorkers),
			worker("WORKER_KILLED", 50, 1000, (site) -> site.kill(site.worker())),
			worker(INSTANCE_CLOSED, 10, 100, (site) -> site.tell(site.worker(Fleet::isInterlock), "recycle")));

	private static Fault link(String kind, int minMillis, int maxMillis, Consumer<TcpProxy> fault) {
		return new Fault(kind, Lane.LINKS, minMillis, maxMillis, (site) -> site.onLinks(site.worker(), fault));
	}

	private static Fault worker(String kind, int minMillis, int maxMillis, Action action) {
		return new Fault(kind, Lane.WORKERS, minMillis, maxMillis, action);
	}

	/**
	 * Faults of one lane follow each other; lanes overlap.
	 */
	enum Lane {

		SERVERS, LINKS, WORKERS, NODES

	}

	/**
	 * Breaks something and mends it.
	 */
	@FunctionalInterface
	interface Action {

		void run(Site site) throws InterruptedException;

	}

}

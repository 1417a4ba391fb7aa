package io.interlock.benchmark.scenario;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.scenario.ClientProcess.Cost;
import io.interlock.testsupport.proxy.Operation;
import io.interlock.testsupport.proxy.ZooKeeperProxy;

/**
 * Clients that have locked and now do nothing: what each of them costs itself and the
 * servers.
 */
final class IdleScenario implements Scenario {

	private static final int CALLS_BEFORE = 100;

	private static final double SECONDS_PER_MINUTE = 60;

	@Override
	public String name() {
		return "idle";
	}

	@Override
	public String title() {
		return "A client that has locked before and is idle";
	}

	@Override
	public String run(Site site) throws Exception {
		int seconds = (site.seconds() >= 2) ? 60 : 10;
		try (Idler interlock = new Idler(Contestant.INTERLOCK_ANNOTATED, site);
				Idler curator = new Idler(Contestant.CURATOR_SHARED, site)) {
			List<Idler> idlers = List.of(interlock, curator);
			for (Idler idler : idlers) {
				idler.client.beginCalls(CALLS_BEFORE);
			}
			beginToIdle(idlers, seconds / 4);
			beginToIdle(idlers, seconds);
			Table table = new Table(List.of("", "CPU over %d s, ms".formatted(seconds), "requests a minute",
					"of which, a minute", "threads"));
			StringBuilder threads = new StringBuilder();
			for (Idler idler : idlers) {
				Cost cost = idler.client.awaitCost();
				List<String> names = idler.client.threads();
				table.add(row(idler, cost, names.size()));
				threads.append(
						"%nThreads of *%s*: `%s`.%n".formatted(idler.contestant.title(), String.join("`, `", names)));
			}
			return table.toString() + threads;
		}
	}

	private static void beginToIdle(List<Idler> idlers, int seconds) {
		for (Idler idler : idlers) {
			idler.client.awaitCost();
			idler.line.forget();
			idler.client.beginToIdle(seconds);
		}
	}

	private static List<String> row(Idler idler, Cost cost, int threads) {
		double minutes = Readings.seconds(cost.elapsed()) / SECONDS_PER_MINUTE;
		long[] counts = Arrays.stream(Operation.values()).mapToLong(idler.line::count).toArray();
		String kinds = Arrays.stream(Operation.values())
			.filter((operation) -> counts[operation.ordinal()] > 0)
			.map((operation) -> "%s %s".formatted(operation, Table.number(counts[operation.ordinal()] / minutes)))
			.collect(Collectors.joining(", "));
		return List.of(idler.contestant.title(), Table.number(Readings.millis(cost.cpu())),
				Table.number(Arrays.stream(counts).sum() / minutes), kinds, Integer.toString(threads));
	}

	/**
	 * A client and the line to its server.
	 */
	private static final class Idler implements AutoCloseable {

		private final Contestant contestant;

		private final ZooKeeperProxy line;

		private final ClientProcess client;

		Idler(Contestant contestant, Site site) {
			this.contestant = contestant;
			this.line = ZooKeeperProxy.to(site.server().clientPort());
			this.client = new ClientProcess(contestant, this.line.connectString(), site);
		}

		@Override
		public void close() {
			this.client.close();
			this.line.close();
		}

	}

}

package io.interlock.benchmark.scenario;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.contestant.Locks;
import io.interlock.testsupport.proxy.ZooKeeperProxy;

/**
 * One thread that tries, without waiting, to get a lock that another thread holds. What a
 * try costs is counted between its client and the server.
 */
final class TryContest extends Contest {

	private static final String KEY = "held";

	private final boolean heldHere;

	TryContest(String name, String title, boolean heldHere, List<Contestant> contestants) {
		super(name, title, contestants, Map.of());
		this.heldHere = heldHere;
	}

	@Override
	Map<String, Double> measure(Contestant contestant, Site site) throws Exception {
		try (ZooKeeperProxy proxy = ZooKeeperProxy.to(site.server().clientPort());
				Locks trying = contestant.connect(proxy.connectString());
				Locks elsewhere = contestant.connect(site.server().connectString());
				Holder holder = Holder.hold(this.heldHere ? trying : elsewhere, KEY)) {
			tryFor(trying, site.seconds() / 4);
			long requests = proxy.roundTrips();
			long writes = proxy.writes();
			long startedAt = System.nanoTime();
			double tries = tryFor(trying, site.seconds() / 4);
			double seconds = Readings.seconds(System.nanoTime() - startedAt);
			Map<String, Double> readings = new LinkedHashMap<>();
			readings.put("tries/s", tries / seconds);
			readings.put("requests per try", (proxy.roundTrips() - requests) / tries);
			readings.put("writes per try", (proxy.writes() - writes) / tries);
			holder.check();
			return readings;
		}
	}

	private static long tryFor(Locks locks, double seconds) throws Exception {
		long end = System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
		long tries = 0;
		while (System.nanoTime() < end) {
			if (locks.tryExclusively(KEY, () -> {
			})) {
				throw new IllegalStateException("A lock that is held was granted");
			}
			tries++;
		}
		return tries;
	}

}

package io.interlock.benchmark.scenario;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.contestant.Locks;
import io.interlock.benchmark.load.Load;
import io.interlock.benchmark.load.LoadPlan;
import io.interlock.benchmark.load.Pace;
import io.interlock.benchmark.server.TcpProxy;

/**
 * Threads of one JVM.
 */
final class ThreadsContest extends Contest {

	private final LoadPlan plan;

	private final Duration roundTrip;

	ThreadsContest(String name, String title, LoadPlan plan, Duration roundTrip, List<Contestant> contestants,
			Map<Contestant, Double> goals) {
		super(name, title, contestants, goals);
		this.plan = plan;
		this.roundTrip = roundTrip;
	}

	@Override
	Map<String, Double> measure(Contestant contestant, Site site) throws InterruptedException {
		if (this.roundTrip.isZero()) {
			return measure(contestant, site.server().connectString(), site);
		}
		try (TcpProxy proxy = new TcpProxy(site.server().port(), this.roundTrip)) {
			return measure(contestant, proxy.connectString(), site);
		}
	}

	private Map<String, Double> measure(Contestant contestant, String connectString, Site site)
			throws InterruptedException {
		try (Locks locks = contestant.connect(connectString)) {
			return Readings.of(Load.run(this.plan, locks, Pace.of(site.seconds())), !this.plan.body().isZero());
		}
	}

}

package io.interlock.benchmark.scenario;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.interlock.benchmark.contestant.Contestant;
import io.interlock.benchmark.contestant.Locks;
import io.interlock.benchmark.load.Load;
import io.interlock.benchmark.load.LoadPlan;
import io.interlock.benchmark.load.Pace;
import io.interlock.benchmark.load.Tally;

/**
 * A contest of threads of one JVM.
 */
final class ThreadsContest extends Contest {

	/** So many locks let the compiler do its work. */
	private static final long WARM_UP = 20_000;

	private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(20);

	private final LoadPlan plan;

	ThreadsContest(String name, String title, LoadPlan plan, List<Contestant> contestants,
			Map<Contestant, Double> goals) {
		super(name, title, contestants, goals);
		this.plan = plan;
	}

	/**
	 * Without contention contestants are close to each other: none of them may pay for
	 * the compiler.
	 */
	@Override
	void prepare(List<Contestant> contestants, Site site) throws InterruptedException {
		if (!this.plan.hot()) {
			for (Contestant contestant : contestants) {
				warmUp(contestant, site);
			}
		}
	}

	/**
	 * Take turns that do not count. On a slow line one is enough: other scenarios have
	 * run before.
	 */
	private void warmUp(Contestant contestant, Site site) throws InterruptedException {
		long startedAt = System.nanoTime();
		long locks = 0;
		do {
			locks += load(contestant, site).operations();
		}
		while (!site.isFar() && locks < WARM_UP && System.nanoTime() - startedAt < LONGEST_WARM_UP.toNanos());
	}

	@Override
	Map<String, Double> measure(Contestant contestant, Site site) throws InterruptedException {
		return Readings.of(load(contestant, site), !this.plan.body().isZero());
	}

	private Tally load(Contestant contestant, Site site) throws InterruptedException {
		try (Locks locks = contestant.connect(site.address(contestant, 1))) {
			return Load.run(this.plan, locks, Pace.of(site.seconds()));
		}
	}

}

package io.interlock.benchmark.scenario;

import java.time.Duration;

import org.springframework.util.StringUtils;

/**
 * A scenario whose servers are further away.
 */
final class LineScenario implements Scenario {

	private final Duration roundTrip;

	private final Scenario scenario;

	private final boolean byDefault;

	/**
	 * Create a scenario.
	 * @param roundTrip how much longer a round trip takes
	 * @param scenario what is measured; it connects to {@link Site#address} only
	 * @param byDefault whether it runs unless scenarios are named
	 */
	LineScenario(Duration roundTrip, Scenario scenario, boolean byDefault) {
		this.roundTrip = roundTrip;
		this.scenario = scenario;
		this.byDefault = byDefault;
	}

	@Override
	public String name() {
		return this.scenario.name();
	}

	@Override
	public String title() {
		return "%d ms more a round trip: %s".formatted(this.roundTrip.toMillis(),
				StringUtils.uncapitalize(this.scenario.title()));
	}

	@Override
	public boolean byDefault() {
		return this.byDefault;
	}

	@Override
	public String run(Site site) throws Exception {
		try (Lines lines = new Lines(this.roundTrip)) {
			return this.scenario.run(site.over(lines));
		}
	}

}

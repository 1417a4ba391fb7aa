package io.interlock.benchmark.scenario;

import io.interlock.benchmark.store.ThreeZooKeepers;

import org.springframework.util.StringUtils;

/**
 * A scenario on three servers of its own.
 */
final class EnsembleScenario implements Scenario {

	private final Scenario scenario;

	/**
	 * Create a scenario.
	 * @param scenario what is measured; it connects to {@link Site#connectString} only
	 */
	EnsembleScenario(Scenario scenario) {
		this.scenario = scenario;
	}

	@Override
	public String name() {
		return this.scenario.name();
	}

	@Override
	public String title() {
		return "Ensemble of three servers: " + StringUtils.uncapitalize(this.scenario.title());
	}

	@Override
	public String run(Site site) throws Exception {
		try (ThreeZooKeepers servers = new ThreeZooKeepers(site.directory())) {
			return this.scenario.run(site.on(servers.addresses()));
		}
	}

}

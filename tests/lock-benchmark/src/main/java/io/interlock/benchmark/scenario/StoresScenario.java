package io.interlock.benchmark.scenario;

import io.interlock.benchmark.contestant.Versions;
import io.interlock.benchmark.store.Stores;

/**
 * A scenario that compares stores, on servers of its own.
 */
final class StoresScenario implements Scenario {

	private final Scenario scenario;

	/**
	 * Create a scenario.
	 * @param scenario what is measured; it connects to {@link Site#stores} only
	 */
	StoresScenario(Scenario scenario) {
		this.scenario = scenario;
	}

	@Override
	public String name() {
		return this.scenario.name();
	}

	@Override
	public String title() {
		return this.scenario.title();
	}

	@Override
	public boolean byDefault() {
		return false;
	}

	@Override
	public String run(Site site) throws Exception {
		try (Stores stores = Stores.start(site.directory())) {
			return "%s%n%s %s%n".formatted(this.scenario.run(site.with(stores)), stores.describe(), Versions.ofPeers());
		}
	}

}

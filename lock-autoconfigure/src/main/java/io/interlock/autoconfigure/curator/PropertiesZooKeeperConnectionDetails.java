package io.interlock.autoconfigure.curator;

import org.jspecify.annotations.Nullable;

/**
 * Adapts {@link ZooKeeperProperties} to {@link ZooKeeperConnectionDetails}.
 */
class PropertiesZooKeeperConnectionDetails implements ZooKeeperConnectionDetails {

	private final ZooKeeperProperties properties;

	PropertiesZooKeeperConnectionDetails(ZooKeeperProperties properties) {
		this.properties = properties;
	}

	@Override
	public String connectString() {
		return this.properties.connectString();
	}

	@Override
	public @Nullable String username() {
		return this.properties.username();
	}

	@Override
	public @Nullable String password() {
		return this.properties.password();
	}

	@Override
	public boolean ensembleTracker() {
		return this.properties.ensembleTracker();
	}

}

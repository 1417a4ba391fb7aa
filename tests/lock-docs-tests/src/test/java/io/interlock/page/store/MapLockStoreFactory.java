package io.interlock.page.store;

import java.time.Clock;
import java.time.Duration;

import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.autoconfigure.store.LockStoreFactory;
import io.interlock.lease.LeaseLockProvider;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

class MapLockStoreFactory implements LockStoreFactory<MapLockStoreFactory.Properties> {

	@Override
	public String name() {
		return "map";
	}

	@Override
	public Class<Properties> properties() {
		return Properties.class;
	}

	@Override
	public LeaseLockProvider create(Properties properties, Definition definition) {
		InterlockProperties common = definition.context().getBean(InterlockProperties.class);
		return new LeaseLockProvider(new MapLeaseStore(Clock.systemUTC()), common.leaseSettings(properties.lease(),
				properties.pollInterval(), 2, definition.context().getEnvironment()));
	}

	@ConfigurationProperties("interlock.map")
	record Properties(@DefaultValue("15s") Duration lease, @DefaultValue("50ms") Duration pollInterval) {

	}

}

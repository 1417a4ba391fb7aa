package io.interlock.jdbc.autoconfigure;

import javax.sql.DataSource;

import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.autoconfigure.store.LockStoreFactory;
import io.interlock.lease.LeaseLockProvider;

import org.springframework.context.ApplicationContext;

/** Makes providers that use the connections of a {@link DataSource} bean. */
class JdbcLockStoreFactory implements LockStoreFactory<JdbcLockProperties> {

	@Override
	public String name() {
		return "jdbc";
	}

	@Override
	public Class<JdbcLockProperties> properties() {
		return JdbcLockProperties.class;
	}

	@Override
	public boolean isAutoConfigured() {
		return true;
	}

	@Override
	public LeaseLockProvider create(JdbcLockProperties properties, Definition definition) {
		ApplicationContext context = definition.context();
		LockConnections connections = LockConnections.shared(definition.bean(DataSource.class), properties);
		LockTablesInitializer tables = new LockTablesInitializer(connections, properties);
		tables.initializeDatabase();
		return JdbcLockAutoConfiguration.provider(connections, properties, context.getBean(InterlockProperties.class),
				tables, context.getEnvironment());
	}

}

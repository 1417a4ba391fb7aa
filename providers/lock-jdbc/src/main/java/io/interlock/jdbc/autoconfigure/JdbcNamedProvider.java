package io.interlock.jdbc.autoconfigure;

import javax.sql.DataSource;

import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.autoconfigure.store.NamedProvider;
import io.interlock.autoconfigure.store.Provider;
import io.interlock.provider.LockProvider;

import org.springframework.context.ApplicationContext;

/** Makes providers that use the connections of a {@link DataSource} bean. */
class JdbcNamedProvider implements NamedProvider<JdbcLockProperties> {

	@Override
	public Provider store() {
		return Provider.JDBC;
	}

	@Override
	public Class<JdbcLockProperties> properties() {
		return JdbcLockProperties.class;
	}

	@Override
	public LockProvider create(JdbcLockProperties properties, Definition definition) {
		ApplicationContext context = definition.context();
		LockConnections connections = LockConnections.shared(definition.bean(DataSource.class), properties);
		LockTablesInitializer tables = new JdbcLockAutoConfiguration()
			.interlockLockDataSourceScriptDatabaseInitializer(connections, properties);
		tables.initializeDatabase();
		return JdbcLockAutoConfiguration.provider(connections, properties, context.getBean(InterlockProperties.class),
				tables, context.getEnvironment());
	}

}

package io.interlock.jdbc.autoconfigure;

import java.util.function.Consumer;

import javax.sql.DataSource;

import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.autoconfigure.store.NamedProvider;
import io.interlock.autoconfigure.store.Provider;
import io.interlock.provider.LockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
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
	public LockProvider create(JdbcLockProperties properties, @Nullable String bean, ApplicationContext context,
			Consumer<AutoCloseable> owned) {
		if (bean == null || !context.containsBean(bean)) {
			throw new InvalidConfigurationPropertyValueException("interlock.jdbc.bean", bean,
					"It must be the name of a DataSource bean.");
		}
		LockConnections connections = LockConnections.shared(context.getBean(bean, DataSource.class), properties);
		LockTablesInitializer tables = new JdbcLockAutoConfiguration()
			.lockDataSourceScriptDatabaseInitializer(connections, properties);
		tables.initializeDatabase();
		return JdbcLockAutoConfiguration.provider(connections, properties, context.getBean(InterlockProperties.class),
				tables, context.getEnvironment());
	}

}

package io.interlock.jdbc.autoconfigure;

import javax.sql.DataSource;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.autoconfigure.store.ConditionalOnStore;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.provider.LockProvider;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Auto-configuration for locks in a relational database.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DataSourceAutoConfiguration.class, before = InterlockAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@ConditionalOnStore("jdbc")
@ConditionalOnMissingBean(LockProvider.class)
@EnableConfigurationProperties({ InterlockProperties.class, JdbcLockProperties.class })
@Import(DatabaseInitializationDependencyConfigurer.class)
public final class JdbcLockAutoConfiguration {

	private static final Log logger = LogFactory.getLog(JdbcLockAutoConfiguration.class);

	private static final String R2DBC = "io.r2dbc.spi.ConnectionFactory";

	@Bean
	LockConnections interlockLockConnections(ObjectProvider<DataSource> dataSource,
			@LockDataSource ObjectProvider<DataSource> lockDataSource, JdbcLockProperties properties,
			ListableBeanFactory beanFactory) {
		DataSource own = lockDataSource.getIfAvailable();
		DataSource database = (own != null) ? own : dataSource.getIfAvailable();
		if (database == null) {
			throw new InvalidConfigurationPropertyValueException("interlock.provider", "jdbc", isOnR2dbc(beanFactory)
					? "There is no DataSource: Spring Boot makes none beside the ConnectionFactory of R2DBC, and spring.datasource has no effect. Define a DataSource bean with @LockDataSource, and add the JDBC driver of the database."
					: "There is no DataSource. Configure spring.datasource, or define a DataSource bean with @LockDataSource.");
		}
		return (own == null && properties.poolSize() > 0) ? LockConnections.like(database, properties)
				: LockConnections.shared(database, properties);
	}

	private static boolean isOnR2dbc(ListableBeanFactory beanFactory) {
		ClassLoader classLoader = JdbcLockAutoConfiguration.class.getClassLoader();
		return ClassUtils.isPresent(R2DBC, classLoader) && beanFactory
			.getBeanNamesForType(ClassUtils.resolveClassName(R2DBC, classLoader), true, false).length > 0;
	}

	@Bean
	@ConditionalOnMissingBean(name = "interlockLockDataSourceScriptDatabaseInitializer")
	LockTablesInitializer interlockLockDataSourceScriptDatabaseInitializer(LockConnections connections,
			JdbcLockProperties properties) {
		return new LockTablesInitializer(connections, properties);
	}

	@Bean
	@DependsOnDatabaseInitialization
	LeaseLockProvider interlockJdbcLockProvider(LockConnections connections, JdbcLockProperties properties,
			InterlockProperties common, ObjectProvider<LockTablesInitializer> initializer, Environment environment) {
		return provider(connections, properties, common, initializer.getIfAvailable(), environment);
	}

	static LeaseLockProvider provider(LockConnections connections, JdbcLockProperties properties,
			InterlockProperties common, @Nullable LockTablesInitializer tables, Environment environment) {
		if (connections.isEmbedded()) {
			logger.warn("Locks are kept in a database inside this process, so no other instance respects them. "
					+ "Configure spring.datasource for a database that all instances share");
		}
		JdbcStoreFactory factory = new JdbcStoreFactory(connections, properties, common.namespace(), tables);
		return new LeaseLockProvider(new DeferredStore(factory.configured(), factory::create), common
			.leaseSettings(properties.lease(), properties.pollInterval(), connections.askingThreads(), environment));
	}

}

package io.interlock.jdbc.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import javax.sql.DataSource;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.autoconfigure.store.ConditionalOnStore;
import io.interlock.autoconfigure.store.Provider;
import io.interlock.jdbc.JdbcLeaseStore;
import io.interlock.jdbc.JdbcLeaseStoreSettings;
import io.interlock.jdbc.LockDatabase;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseStoreAddress;
import io.interlock.lease.LeaseStoreException;
import io.interlock.provider.LockProvider;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;
import org.springframework.util.StringUtils;

/**
 * Auto-configuration for locks in a relational database.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DataSourceAutoConfiguration.class, before = InterlockAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@ConditionalOnStore(Provider.JDBC)
@ConditionalOnMissingBean(LockProvider.class)
@EnableConfigurationProperties({ InterlockProperties.class, JdbcLockProperties.class })
@Import(DatabaseInitializationDependencyConfigurer.class)
public final class JdbcLockAutoConfiguration {

	private static final Log logger = LogFactory.getLog(JdbcLockAutoConfiguration.class);

	private static final String DATABASE = "spring.datasource.url, spring.datasource.username and "
			+ "spring.datasource.password, or the DataSource with @LockDataSource";

	@Bean
	LockConnections lockConnections(ObjectProvider<DataSource> dataSource,
			@LockDataSource ObjectProvider<DataSource> lockDataSource, JdbcLockProperties properties) {
		DataSource own = lockDataSource.getIfAvailable();
		DataSource database = (own != null) ? own : dataSource.getIfAvailable();
		if (database == null) {
			throw new InvalidConfigurationPropertyValueException("interlock.provider", "jdbc",
					"There is no DataSource. Configure spring.datasource, or define a DataSource bean with @LockDataSource.");
		}
		return (own == null && properties.poolSize() > 0) ? LockConnections.like(database, properties)
				: LockConnections.shared(database, properties);
	}

	@Bean
	@ConditionalOnMissingBean(name = "lockDataSourceScriptDatabaseInitializer")
	LockTablesInitializer lockDataSourceScriptDatabaseInitializer(LockConnections connections,
			JdbcLockProperties properties) {
		DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
		settings.setSchemaLocations(locations(connections.database(), properties));
		settings.setMode(properties.initializeSchema());
		settings.setContinueOnError(true);
		return new LockTablesInitializer(connections.database(), settings, properties.tablePrefix());
	}

	@Bean
	@DependsOnDatabaseInitialization
	LeaseLockProvider jdbcLockProvider(LockConnections connections, JdbcLockProperties properties,
			InterlockProperties common, ObjectProvider<LockTablesInitializer> initializer, Environment environment) {
		return provider(connections, properties, common, initializer.getIfAvailable(), environment);
	}

	static LeaseLockProvider provider(LockConnections connections, JdbcLockProperties properties,
			InterlockProperties common, @Nullable LockTablesInitializer script, Environment environment) {
		if (EmbeddedDatabaseConnection.isEmbedded(connections.database())) {
			logger.warn("Locks are kept in a database inside this process, so no other instance respects them. "
					+ "Configure spring.datasource for a database that all instances share");
		}
		return new LeaseLockProvider(
				store(connections, properties, common.namespace(), (script != null) ? script.refusal() : null),
				new LeaseSettings(common.instanceId(environment), properties.lease(), properties.pollInterval(),
						common.verifyTimeout(), connections.askingThreads(),
						common.whenUnavailable() == InterlockProperties.WhenUnavailable.FAIL_FAST));
	}

	private static List<String> locations(DataSource dataSource, JdbcLockProperties properties) {
		if (!properties.schema().contains("@@platform@@")) {
			return List.of(properties.schema());
		}
		String platform = properties.platform();
		if (StringUtils.hasText(platform)) {
			return List.of(properties.schema().replace("@@platform@@", platform));
		}
		try {
			return new PlatformPlaceholderDatabaseDriverResolver().resolveAll(dataSource, properties.schema());
		}
		catch (IllegalStateException ex) {
			throw (ex.getCause() instanceof MetaDataAccessException) ? unreachable(dataSource, ex) : ex;
		}
	}

	private static JdbcLeaseStore store(LockConnections connections, JdbcLockProperties properties, String namespace,
			@Nullable String refusal) {
		Duration callTimeout = properties.lease().dividedBy(3);
		String clock = properties.clock();
		if (clock != null && StringUtils.hasText(clock)) {
			JdbcLeaseStoreSettings settings = new JdbcLeaseStoreSettings(clock, false, false, "", callTimeout,
					properties.keepUnused(), properties.tablePrefix(), false, namespace);
			return store(connections, null, settings, "Database", DatabaseAddress.configured(connections.database()),
					refusal);
		}
		Version version = version(connections.requests());
		LockDatabase database = Arrays.stream(LockDatabase.values())
			.filter((each) -> each.isProduct(version.product()))
			.findFirst()
			.orElseThrow(() -> new InvalidConfigurationPropertyValueException("interlock.jdbc.clock", null,
					"The clock of %s is not known. Set it to an SQL expression for the time in milliseconds since the epoch."
						.formatted(version.product())));
		boolean telling = database == LockDatabase.POSTGRESQL && !Boolean.FALSE.equals(properties.notifies());
		JdbcLeaseStoreSettings settings = new JdbcLeaseStoreSettings(database.clock(), database.returning(),
				database.skipsLocked(version.major(), version.minor()), database.byKey(), callTimeout,
				properties.keepUnused(), properties.tablePrefix(), telling, namespace,
				database.passesOver(version.major(), version.minor()));
		return store(connections, telling ? connections.listening(properties) : null, settings, version.product(),
				DatabaseAddress.of(version.url()), refusal);
	}

	private static JdbcLeaseStore store(LockConnections connections, @Nullable DataSource listening,
			JdbcLeaseStoreSettings settings, String product, String url, @Nullable String refusal) {
		String namespace = settings.namespace();
		String where = JdbcLeaseStore.tables(settings) + (namespace.isEmpty() ? "" : ", namespace " + namespace);
		return new JdbcLeaseStore(connections.requests(), connections.renewals(), listening, settings,
				new LeaseStoreAddress(product, url, where, DATABASE), refusal);
	}

	private static Version version(DataSource dataSource) {
		try {
			return JdbcUtils.extractDatabaseMetaData(dataSource, (data) -> new Version(data.getDatabaseProductName(),
					data.getDatabaseMajorVersion(), data.getDatabaseMinorVersion(), data.getURL()));
		}
		catch (MetaDataAccessException ex) {
			throw unreachable(dataSource, ex);
		}
	}

	private static LeaseStoreException unreachable(DataSource dataSource, Exception reason) {
		return LeaseStoreException.lasting("the database of the locks at '%s' does not tell its name: %s".formatted(
				DatabaseAddress.configured(dataSource), NestedExceptionUtils.getMostSpecificCause(reason).getMessage()),
				"Start the database there, or correct " + DATABASE, reason);
	}

	private record Version(String product, int major, int minor, String url) {

	}

}

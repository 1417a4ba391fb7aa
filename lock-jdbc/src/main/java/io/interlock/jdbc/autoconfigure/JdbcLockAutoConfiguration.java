package io.interlock.jdbc.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import javax.sql.DataSource;

import io.interlock.LockProvider;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.InterlockProperties;
import io.interlock.jdbc.JdbcLeaseStore;
import io.interlock.jdbc.JdbcLeaseStoreSettings;
import io.interlock.jdbc.LockDatabase;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseStoreAddress;
import io.interlock.lease.LeaseStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
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
@ConditionalOnProperty(name = "interlock.provider", havingValue = "jdbc")
@ConditionalOnMissingBean(LockProvider.class)
@EnableConfigurationProperties({ InterlockProperties.class, JdbcLockProperties.class })
@Import(DatabaseInitializationDependencyConfigurer.class)
public final class JdbcLockAutoConfiguration {

	private static final String DATABASE = "spring.datasource.url, spring.datasource.username and "
			+ "spring.datasource.password, or the DataSource with @LockDataSource";

	@Bean
	@ConditionalOnMissingBean(name = "lockDataSourceScriptDatabaseInitializer")
	LockSchemaInitializer lockDataSourceScriptDatabaseInitializer(ObjectProvider<DataSource> dataSource,
			@LockDataSource ObjectProvider<DataSource> lockDataSource, JdbcLockProperties properties) {
		DataSource used = choose(dataSource, lockDataSource);
		DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
		settings.setSchemaLocations(locations(used, properties));
		settings.setMode(properties.initializeSchema());
		settings.setContinueOnError(true);
		return new LockSchemaInitializer(used, settings);
	}

	@Bean
	@DependsOnDatabaseInitialization
	LeaseLockProvider jdbcLockProvider(ObjectProvider<DataSource> dataSource,
			@LockDataSource ObjectProvider<DataSource> lockDataSource, JdbcLockProperties properties,
			InterlockProperties common, ObjectProvider<LockSchemaInitializer> initializer, Environment environment) {
		DataSource used = choose(dataSource, lockDataSource);
		LockSchemaInitializer script = initializer.getIfAvailable();
		return new LeaseLockProvider(store(used, properties, (script != null) ? script.refusal() : null),
				new LeaseSettings(common.instanceId(environment), properties.lease(), properties.pollInterval(),
						common.verifyTimeout(), properties.threads(),
						common.whenUnavailable() == InterlockProperties.WhenUnavailable.FAIL_FAST));
	}

	private static DataSource choose(ObjectProvider<DataSource> dataSource, ObjectProvider<DataSource> lockDataSource) {
		DataSource own = lockDataSource.getIfAvailable();
		DataSource used = (own != null) ? own : dataSource.getIfAvailable();
		if (used == null) {
			throw new InvalidConfigurationPropertyValueException("interlock.provider", "jdbc",
					"There is no DataSource. Configure spring.datasource, or define a DataSource bean with @LockDataSource.");
		}
		return used;
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

	private static JdbcLeaseStore store(DataSource dataSource, JdbcLockProperties properties,
			@Nullable String refusal) {
		Duration callTimeout = properties.lease().dividedBy(3);
		String clock = properties.clock();
		if (clock != null && StringUtils.hasText(clock)) {
			return new JdbcLeaseStore(dataSource,
					new JdbcLeaseStoreSettings(clock, false, false, "", callTimeout, properties.keepUnused()),
					address("Database", DatabaseAddress.configured(dataSource)), refusal);
		}
		Version version = version(dataSource);
		LockDatabase database = Arrays.stream(LockDatabase.values())
			.filter((each) -> each.isProduct(version.product()))
			.findFirst()
			.orElseThrow(() -> new InvalidConfigurationPropertyValueException("interlock.jdbc.clock", null,
					"The clock of %s is not known. Set it to an SQL expression for the time in milliseconds since the epoch."
						.formatted(version.product())));
		return new JdbcLeaseStore(dataSource,
				new JdbcLeaseStoreSettings(database.clock(), database.returning(),
						database.skipsLocked(version.major(), version.minor()), database.byKey(), callTimeout,
						properties.keepUnused()),
				address(version.product(), DatabaseAddress.of(version.url())), refusal);
	}

	private static LeaseStoreAddress address(String product, String url) {
		return new LeaseStoreAddress(product, url, "tables interlock_lock and interlock_contender", DATABASE);
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

package io.interlock.jdbc.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.IMetricsTracker;
import com.zaxxer.hikari.util.Credentials;
import io.interlock.LockRequest;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.template.LockTemplate;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockConnections}.
 */
class LockConnectionsTests {

	private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

	private final ApplicationContextRunner withoutDatabase = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JdbcLockAutoConfiguration.class, InterlockAutoConfiguration.class))
		.withPropertyValues("interlock.provider=jdbc", "interlock.jdbc.initialize-schema=always");

	private final ApplicationContextRunner contextRunner = this.withoutDatabase
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=" + this.url);

	@Test
	void poolsAreLikeThatOfTheApplicationApartFromWhatLocksNeed() {
		this.contextRunner.withPropertyValues("interlock.jdbc.lease=6s",
				"spring.datasource.hikari.maximum-pool-size=10",
				"spring.datasource.hikari.connection-init-sql=SELECT 1", "spring.datasource.hikari.auto-commit=false",
				"spring.datasource.hikari.read-only=true", "spring.datasource.hikari.register-mbeans=true",
				"spring.datasource.hikari.leak-detection-threshold=2000", "spring.datasource.hikari.idle-timeout=20000",
				"spring.datasource.hikari.data-source-properties.key=value")
			.run((context) -> {
				HikariDataSource requests = requests(context);
				HikariDataSource renewals = (HikariDataSource) context.getBean(LockConnections.class).renewals();
				assertThat(List.of(requests, renewals)).allSatisfy((pool) -> {
					assertThat(pool.getJdbcUrl()).isEqualTo(this.url);
					assertThat(pool.getConnectionInitSql()).isEqualTo("SELECT 1");
					assertThat(pool.getDataSourceProperties()).containsEntry("key", "value");
					assertThat(pool.getConnectionTimeout()).isEqualTo(2000);
					assertThat(pool.getValidationTimeout()).isEqualTo(2000);
					assertThat(pool.isAutoCommit()).isTrue();
					assertThat(pool.isReadOnly()).isFalse();
					assertThat(pool.isRegisterMbeans()).isFalse();
					assertThat(pool.getLeakDetectionThreshold()).isZero();
				});
				assertThat(requests.getMaximumPoolSize()).isEqualTo(4);
				assertThat(requests.getIdleTimeout()).isEqualTo(20000);
				assertThat(renewals.getMaximumPoolSize()).isEqualTo(2);
				assertThat(renewals.getMinimumIdle()).isOne();
				assertThat(renewals.getIdleTimeout()).isZero();
				assertThat(context.getBean(LockConnections.class).askingThreads()).isEqualTo(2);
			});
	}

	private static HikariDataSource requests(AssertableApplicationContext context) {
		return (HikariDataSource) context.getBean(LockConnections.class).requests();
	}

	@Test
	void poolIsNotLargerThanItsThreadsNeed() {
		// H2 tells nothing, so no connection listens.
		this.contextRunner
			.withPropertyValues("interlock.jdbc.threads=3", "interlock.jdbc.pool-size=8", "interlock.jdbc.notify=true")
			.run((context) -> {
				assertThat(requests(context).getMaximumPoolSize()).isEqualTo(5);
				assertThat(context.getBean(LockConnections.class).askingThreads()).isEqualTo(3);
			});
	}

	@Test
	void applicationHasItsOwnDataSourceOnly() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasSingleBean(DataSource.class);
			context.getBean(DataSource.class).getConnection().close();
			acquire(context);
			assertThat(context.getBean(HikariDataSource.class).getHikariPoolMXBean().getActiveConnections()).isZero();
			assertThat(requests(context).getHikariPoolMXBean().getTotalConnections()).isPositive();
		});
	}

	private static void acquire(AssertableApplicationContext context) {
		context.getBean(LockTemplate.class).acquire(LockRequest.exclusive("stock")).close();
	}

	@Test
	void meterOfTheApplicationCountsItsOwnPoolOnly() {
		List<String> measured = new ArrayList<>();
		try (HikariDataSource application = application()) {
			application.setPoolName("application");
			application.setMetricsTrackerFactory((name, stats) -> {
				measured.add(name);
				return new IMetricsTracker() {
				};
			});
			this.withoutDatabase.withBean(DataSource.class, () -> application).run((context) -> {
				application.getConnection().close();
				acquire(context);
			});
		}
		assertThat(measured).containsExactly("application");
	}

	@Test
	void passwordOfTheApplicationMayChange() {
		try (HikariDataSource application = application()) {
			this.withoutDatabase.withBean(DataSource.class, () -> application).run((context) -> {
				application.setCredentials(Credentials.of("sa", "changed"));
				assertThat(requests(context).getCredentialsProvider().getCredentials().getPassword())
					.isEqualTo("changed");
			});
		}
	}

	private HikariDataSource application() {
		HikariDataSource application = new HikariDataSource();
		application.setJdbcUrl(this.url);
		application.setUsername("sa");
		return application;
	}

	@Test
	void poolsEndWithTheContextAfterTheProvider() {
		List<HikariDataSource> pools = new ArrayList<>();
		this.contextRunner.run((context) -> {
			LockConnections connections = context.getBean(LockConnections.class);
			pools.add((HikariDataSource) connections.requests());
			pools.add((HikariDataSource) connections.renewals());
			LockAttempt left = context.getBean(LeaseLockProvider.class)
				.attempt(LockRequest.exclusive("left"), LockCaller.current());
			assertThat(left.outcome().join()).isPresent();
		});
		assertThat(pools).hasSize(2).allMatch(HikariDataSource::isClosed);
		// The provider has released what was left, which takes a connection.
		assertThat(JdbcClient.create(new DriverManagerDataSource(this.url, "sa", ""))
			.sql("SELECT COUNT(*) FROM interlock_lock WHERE lock_name = 'left' AND owner IS NULL")
			.query(Integer.class)
			.single()).isOne();
	}

	@Test
	void wrappedPoolOfTheApplicationIsFound() {
		try (HikariDataSource application = application()) {
			DataSource wrapped = new TransactionAwareDataSourceProxy(new LazyConnectionDataSourceProxy(application));
			this.withoutDatabase.withBean(DataSource.class, () -> wrapped).run((context) -> {
				acquire(context);
				assertThat(requests(context).getJdbcUrl()).isEqualTo(this.url);
			});
		}
	}

	@Test
	void dataSourceWithoutPoolIsUsedAsItIs() {
		DataSource database = new DelegatingDataSource(new DriverManagerDataSource(this.url));
		this.withoutDatabase.withBean(DataSource.class, () -> database).run(usesAsItIs(database));
	}

	@Test
	void embeddedDatabaseIsUsedAsItIs() {
		DataSource database = new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2)
			.generateUniqueName(true)
			.build();
		this.withoutDatabase.withBean(DataSource.class, () -> database).run(usesAsItIs(database));
	}

	@Test
	void zeroUsesTheConnectionsOfTheApplication() {
		this.contextRunner.withPropertyValues("interlock.jdbc.pool-size=0")
			.run((context) -> usesAsItIs(context.getBean(DataSource.class)).accept(context));
	}

	@Test
	void routingDataSourceIsUsedAsItIsWhenZeroSaysSo() {
		DataSource routing = routing();
		this.withoutDatabase.withBean(DataSource.class, () -> routing)
			.withPropertyValues("interlock.jdbc.pool-size=0")
			.run(usesAsItIs(routing));
	}

	@Test
	void lockDataSourceWinsAndIsUsedAsItIs() {
		this.withoutDatabase.withBean("application", DataSource.class, this::routing)
			.withUserConfiguration(JdbcLockAutoConfigurationTests.OwnDataSource.class)
			.run((context) -> usesAsItIs(context.getBean("locks", DataSource.class)).accept(context));
	}

	private static ContextConsumer<AssertableApplicationContext> usesAsItIs(DataSource database) {
		return (context) -> {
			acquire(context);
			LockConnections connections = context.getBean(LockConnections.class);
			assertThat(List.of(connections.database(), connections.requests(), connections.renewals()))
				.containsOnly(database);
			assertThat(connections.askingThreads()).isEqualTo(8);
		};
	}

	private AbstractRoutingDataSource routing() {
		DataSource pool = application();
		AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				return "first";
			}

		};
		routing.setTargetDataSources(Map.of("first", pool));
		routing.setDefaultTargetDataSource(pool);
		return routing;
	}

	@Test
	void routingDataSourceFailsTheStart() {
		this.withoutDatabase.withBean(DataSource.class, this::routing).run(refusesWith("routes to several others"));
		this.withoutDatabase.withBean(DataSource.class, () -> {
			AbstractRoutingDataSource routing = routing();
			routing.afterPropertiesSet();
			return new LazyConnectionDataSourceProxy(routing);
		}).run(refusesWith("routes to several others"));
	}

	@Test
	void unknownDataSourceFailsTheStart() {
		JdbcDataSource unknown = new JdbcDataSource();
		unknown.setUrl(this.url);
		this.withoutDatabase.withBean(DataSource.class, () -> unknown).run(refusesWith("org.h2.jdbcx.JdbcDataSource"));
		this.withoutDatabase.withBean(DataSource.class, () -> new SingleConnectionDataSource(this.url, true))
			.run(refusesWith("SingleConnectionDataSource"));
	}

	@Test
	void databaseOfEachConnectionFailsTheStart() {
		this.contextRunner.withPropertyValues("spring.datasource.url=jdbc:h2:mem:;MODE=PostgreSQL")
			.run(refusesWith("private"));
	}

	private static ContextConsumer<AssertableApplicationContext> refusesWith(String reason) {
		return (context) -> assertThat(context).getFailure()
			.rootCause()
			.hasMessageContaining("interlock.jdbc.pool-size")
			.hasMessageContaining(reason)
			.hasMessageContaining("@LockDataSource");
	}

	@Test
	void negativeSizeFailsTheStart() {
		this.contextRunner.withPropertyValues("interlock.jdbc.pool-size=-1")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("interlock.jdbc.pool-size")
				.hasMessageContaining("must not be negative"));
	}

	@Test
	void connectionsOfTheApplicationKeepTheirQueryTimeout() {
		try (HikariDataSource application = application()) {
			application.setMaximumPoolSize(1);
			this.withoutDatabase.withBean(DataSource.class, () -> application)
				.withPropertyValues("interlock.jdbc.pool-size=0")
				.run((context) -> {
					acquire(context);
					assertThat(queryTimeout(application)).isZero();
				});
		}
	}

	private static int queryTimeout(DataSource application) throws SQLException {
		try (Connection connection = application.getConnection()) {
			return connection.createStatement().getQueryTimeout();
		}
	}

}

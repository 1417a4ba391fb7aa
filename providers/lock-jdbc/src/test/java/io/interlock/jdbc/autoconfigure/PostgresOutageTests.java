package io.interlock.jdbc.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.jdbc.JdbcLeaseStore;
import io.interlock.jdbc.JdbcLeaseStoreSettings;
import io.interlock.jdbc.LockDatabase;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseStoreAddress;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An outage of PostgreSQL that a hold survives, with the pools of locks.
 */
class PostgresOutageTests {

	private static final Duration LEASE = Duration.ofSeconds(15);

	private static final Duration OUTAGE = Duration.ofSeconds(11);

	static Stream<Named<Consumer<TcpProxy>>> outages() {
		return Stream.of(Named.of("refused", TcpProxy::refuse), Named.of("silent", TcpProxy::blackHole));
	}

	@Deep
	@ParameterizedTest
	@MethodSource("outages")
	void holdOutlivesAnOutageOfElevenSeconds(Consumer<TcpProxy> outage) throws Exception {
		try (PostgresServer server = PostgresServer.start();
				TcpProxy line = TcpProxy.to(Integer.parseInt(server.url().replaceFirst("^.*:(\\d+)/.*$", "$1")));
				HikariDataSource application = new HikariDataSource()) {
			DriverManagerDataSource direct = new DriverManagerDataSource(server.url(), "postgres", "");
			DatabasePopulatorUtils.execute(
					new ResourceDatabasePopulator(new ClassPathResource("schema-postgresql.sql", JdbcLeaseStore.class)),
					direct);
			application.setJdbcUrl("jdbc:postgresql://%s/postgres".formatted(line.connectString()));
			application.setUsername("postgres");
			JdbcLockProperties properties = new JdbcLockProperties(LEASE, Duration.ofMillis(50), 8, 2,
					Duration.ofDays(1), null, DatabaseInitializationMode.NEVER, "", null, "interlock_", null);
			try (LockConnections connections = LockConnections.like(application, properties);
					LeaseLockProvider provider = provider(connections)) {
				LockGrant hold = provider.attempt(LockRequest.exclusive("stock"), LockCaller.current())
					.outcome()
					.get(30, TimeUnit.SECONDS)
					.orElseThrow();
				awaitNextRenewal(JdbcClient.create(direct));
				// Almost until the next one.
				pass(LEASE.dividedBy(12).minusMillis(250));
				outage.accept(line);
				pass(OUTAGE);
				line.heal();
				await().atMost(Duration.ofSeconds(10)).until(() -> hold.state() != LockState.UNCONFIRMED);
				assertThat(hold.state()).isEqualTo(LockState.VALID);
				assertThat(hold.release().get(30, TimeUnit.SECONDS)).isEqualTo(LockState.RELEASED);
			}
		}
	}

	private static LeaseLockProvider provider(LockConnections connections) {
		JdbcLeaseStoreSettings settings = new JdbcLeaseStoreSettings(LockDatabase.POSTGRESQL.clock(), true, true, "",
				LEASE.dividedBy(3), Duration.ofDays(1));
		return new LeaseLockProvider(
				new JdbcLeaseStore(connections.requests(), connections.renewals(), null, settings,
						new LeaseStoreAddress("PostgreSQL", "a proxy", "tables", "this test"), null),
				new LeaseSettings("test", LEASE, Duration.ofMillis(50), Duration.ofSeconds(5),
						connections.askingThreads(), false));
	}

	private static void awaitNextRenewal(JdbcClient client) {
		long before = end(client);
		await().pollInterval(Duration.ofMillis(20)).atMost(LEASE).until(() -> end(client) > before);
	}

	private static long end(JdbcClient client) {
		return client.sql("SELECT MAX(lease_end) FROM interlock_lock").query(Long.class).single();
	}

	private static void pass(Duration time) throws InterruptedException {
		assertThat(new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
	}

}

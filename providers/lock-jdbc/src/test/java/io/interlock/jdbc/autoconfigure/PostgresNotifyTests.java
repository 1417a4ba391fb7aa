package io.interlock.jdbc.autoconfigure;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockRequest;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.postgres.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@code interlock.jdbc.notify}.
 */
@ExtendWith(OutputCaptureExtension.class)
class PostgresNotifyTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static PostgresServer server;

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JdbcLockAutoConfiguration.class, InterlockAutoConfiguration.class,
				DataSourceAutoConfiguration.class))
		.withPropertyValues("interlock.provider=jdbc", "interlock.jdbc.initialize-schema=always",
				"interlock.jdbc.table-prefix=public.Shop_", "spring.datasource.username=postgres",
				"spring.datasource.url=" + server.url());

	@BeforeAll
	static void startServer() {
		server = PostgresServer.start();
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@ParameterizedTest
	@CsvSource({ "2, , true, true", "2, true, true, true", "2, false, false, false", "0, , true, false",
			"0, true, true, true" })
	void propertyDecidesWhoTellsAndWhoListens(int poolSize, String notify, boolean tells, boolean listens) {
		this.contextRunner
			.withPropertyValues("interlock.jdbc.pool-size=" + poolSize,
					(notify != null) ? "interlock.jdbc.notify=" + notify : "interlock.jdbc.threads=8")
			.run((context) -> {
				try (Connection observer = DriverManager.getConnection(server.url(), "postgres", "")) {
					observer.createStatement().execute("LISTEN \"public.shop_lock\"");
					LockAttempt waiting = handOver(context);
					assertThat(listeners()).hasSize(listens ? 1 : 0);
					assertThat(locksOf(observer)).hasSize(tells ? 1 : 0);
					waiting.outcome().join().orElseThrow().release().join();
				}
			});
		assertThat(listeners()).isEmpty();
	}

	@Test
	void strangerHearsNothingThatReturns() {
		this.contextRunner.run((context) -> {
			try (Connection stranger = DriverManager.getConnection(server.url(), "postgres", "")) {
				stranger.createStatement().execute("LISTEN \"public.shop_lock\"");
				for (int times = 0; times < 3; times++) {
					handOver(context).outcome().join().orElseThrow().release().join();
				}
				assertThat(locksOf(stranger)).hasSize(3).doesNotHaveDuplicates();
			}
		});
	}

	@Test
	void applicationThatListensStopsWithoutAComplaint(CapturedOutput output) {
		this.contextRunner.run((context) -> handOver(context).outcome().join().orElseThrow().release().join());
		assertThat(listeners()).isEmpty();
		assertThat(output).doesNotContain("marked as broken").doesNotContain("\tat ");
	}

	@Test
	void releaseInOneNamespaceIsNoNewsInAnother() {
		this.contextRunner.withPropertyValues("interlock.namespace=north").run((north) -> {
			LockGrant held = attempt(north.getBean(LeaseLockProvider.class)).outcome().join().orElseThrow();
			this.contextRunner.withPropertyValues("interlock.namespace=south").run((south) -> {
				LockAttempt asked = attempt(south.getBean(LeaseLockProvider.class));
				assertThat(asked.outcome()).succeedsWithin(PATIENCE);
				LockGrant other = asked.outcome().join().orElseThrow();
				assertThat(other.request().id()).isEqualTo(held.request().id());
				other.release().join();
				handOver(south).outcome().join().orElseThrow().release().join();
			});
			held.verify();
			held.release().join();
		});
	}

	/**
	 * Release a lock that another contender waits for.
	 */
	private static LockAttempt handOver(ApplicationContext context) {
		LeaseLockProvider provider = context.getBean(LeaseLockProvider.class);
		LockGrant held = attempt(provider).outcome().join().orElseThrow();
		LockAttempt waiting = attempt(provider);
		await().atMost(PATIENCE).until(() -> waiting.phase() == LockAttempt.Phase.QUEUED);
		held.release();
		assertThat(waiting.outcome()).succeedsWithin(PATIENCE);
		return waiting;
	}

	private static LockAttempt attempt(LeaseLockProvider provider) {
		return provider.attempt(LockRequest.exclusive("stock"), LockCaller.current());
	}

	private static List<Thread> listeners() {
		Thread[] threads = new Thread[Thread.activeCount() * 2];
		return Arrays.stream(threads, 0, Thread.enumerate(threads))
			.filter((thread) -> thread.getName().equals("interlock-listen-jdbc"))
			.toList();
	}

	/**
	 * Return what was told of releases until now. An instance tells itself something
	 * else.
	 */
	private static List<String> locksOf(Connection observer) throws SQLException {
		try (Connection other = DriverManager.getConnection(server.url(), "postgres", "")) {
			other.createStatement().execute("NOTIFY \"public.shop_lock\", 'end'");
		}
		List<String> told = new ArrayList<>();
		while (!told.contains("end")) {
			for (PGNotification notification : observer.unwrap(PGConnection.class).getNotifications(1000)) {
				told.add(notification.getParameter());
			}
		}
		return told.stream().filter((payload) -> payload.matches("[0-9a-f]{16}( [0-9a-f]{16})*")).toList();
	}

	@Test
	void poolOfTheLocksHasRoomForTheConnectionThatListens() {
		this.contextRunner.run((context) -> {
			handOver(context);
			assertThat(requests(context).getMaximumPoolSize()).isEqualTo(5);
		});
		this.contextRunner.withPropertyValues("interlock.jdbc.notify=false").run((context) -> {
			handOver(context);
			assertThat(requests(context).getMaximumPoolSize()).isEqualTo(4);
		});
	}

	private static HikariDataSource requests(ApplicationContext context) {
		return (HikariDataSource) context.getBean(LockConnections.class).requests();
	}

	@Test
	void longestNameOfATableHasAChannel() {
		String schema = "s".repeat(50);
		String prefix = schema + "." + "p".repeat(40);
		try (Connection connection = DriverManager.getConnection(server.url(), "postgres", "")) {
			connection.createStatement().execute("CREATE SCHEMA " + schema);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		this.contextRunner.withPropertyValues("interlock.jdbc.table-prefix=" + prefix).run((context) -> {
			handOver(context);
			assertThat(listeners()).hasSize(1);
		});
	}

}

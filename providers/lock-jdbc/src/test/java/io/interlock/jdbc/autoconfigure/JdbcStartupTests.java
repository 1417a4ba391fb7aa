package io.interlock.jdbc.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.thread.Background;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for what an application with locks in a database says when it starts.
 */
@ExtendWith(OutputCaptureExtension.class)
class JdbcStartupTests {

	private static final Log logger = LogFactory.getLog(JdbcStartupTests.class);

	private final String url = "jdbc:h2:mem:" + UUID.randomUUID();

	private final DriverManagerDataSource administrator = new DriverManagerDataSource(this.url + ";DB_CLOSE_DELAY=-1",
			"sa", "");

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JdbcLockAutoConfiguration.class, InterlockAutoConfiguration.class,
				DataSourceAutoConfiguration.class))
		.withPropertyValues("interlock.provider=jdbc", "spring.datasource.url=" + this.url,
				"spring.datasource.username=sa", "spring.datasource.password=");

	private final ApplicationContextRunner waiting = this.contextRunner
		.withPropertyValues("interlock.startup-timeout=10s");

	@AfterEach
	void end() {
		sql("SHUTDOWN");
	}

	private void sql(String statement) {
		JdbcClient.create(this.administrator).sql(statement).update();
	}

	private void createTables() {
		DatabasePopulatorUtils.execute(
				new ResourceDatabasePopulator(new ClassPathResource("io/interlock/jdbc/schema-h2.sql")),
				this.administrator);
	}

	private ApplicationContextRunner as(ApplicationContextRunner runner, String user) {
		sql("CREATE USER " + user + " PASSWORD 'secret-of-app'");
		return runner.withPropertyValues("spring.datasource.username=" + user,
				"spring.datasource.password=secret-of-app");
	}

	@Test
	void startSaysWhereTheLocksAre(CapturedOutput output) {
		this.waiting.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsPattern("INFO .*Locks are kept in H2 at '" + this.url
				+ "' \\(tables interlock_lock and interlock_contender\\). Supported: ");
	}

	@Test
	void checkLeavesNothingBehind() {
		createTables();
		this.waiting.run((context) -> context.getBean(LeaseLockProvider.class).check());
		assertThat(JdbcClient.create(this.administrator)
			.sql("SELECT (SELECT COUNT(*) FROM interlock_lock) + (SELECT COUNT(*) FROM interlock_contender)")
			.query(Integer.class)
			.single()).isZero();
	}

	@Test
	void missingTableFailsTheStart() {
		this.waiting.withPropertyValues("interlock.jdbc.initialize-schema=never").run((context) -> {
			FailureAnalysis analysis = analysis(context);
			assertThat(analysis.getDescription()).startsWith("H2 at '" + this.url + "'")
				.contains("the tables of the locks do not exist in the database")
				.contains("INTERLOCK_LOCK");
			assertThat(analysis.getAction()).contains("interlock.jdbc.initialize-schema to 'always'")
				.contains("schema-*.sql");
		});
	}

	@Test
	void missingTableIsAnErrorOfTheStartThatDoesNotWait(CapturedOutput output) {
		this.contextRunner.withPropertyValues("interlock.jdbc.initialize-schema=never").run((context) -> {
			assertThat(context).hasNotFailed();
			Awaitility.await()
				.untilAsserted(() -> assertThat(output).containsPattern(
						"ERROR .*the tables of the locks do not exist in the database.*interlock.jdbc.initialize-schema"));
		});
	}

	@Test
	void missingColumnFailsTheStart() {
		createTables();
		sql("ALTER TABLE interlock_contender DROP COLUMN instance");
		this.waiting.run((context) -> assertThat(analysis(context).getDescription()).contains("INSTANCE"));
	}

	@Test
	void missingRightFailsTheStart() {
		createTables();
		ApplicationContextRunner runner = as(this.waiting, "app");
		sql("GRANT SELECT, INSERT, UPDATE ON interlock_lock, interlock_contender TO app");
		runner.withPropertyValues("interlock.jdbc.initialize-schema=never").run((context) -> {
			FailureAnalysis analysis = analysis(context);
			assertThat(analysis.getDescription()).contains("its user may not access them")
				.contains("Not enough rights");
			assertThat(analysis.getAction()).contains("needs SELECT, INSERT, UPDATE and DELETE");
		});
	}

	@Test
	void refusedScriptFailsTheStartWithTheReasonOfTheDatabase() {
		as(this.waiting, "app").withPropertyValues("interlock.jdbc.initialize-schema=always").run((context) -> {
			FailureAnalysis analysis = analysis(context);
			assertThat(analysis.getDescription()).contains("has refused the script that creates the tables")
				.containsIgnoringCase("not enough rights")
				.doesNotContain("secret-of-app");
			assertThat(analysis.getAction()).contains("as a user that may create tables")
				.contains("interlock.jdbc.initialize-schema to 'never'");
		});
	}

	@Test
	void refusedScriptIsSilentWhereTheTablesCanBeUsed(CapturedOutput output) {
		createTables();
		ApplicationContextRunner runner = as(this.waiting, "app");
		sql("GRANT SELECT, INSERT, UPDATE, DELETE ON interlock_lock, interlock_contender TO app");
		sql("GRANT SELECT ON interlock_version TO app");
		runner.withPropertyValues("interlock.jdbc.initialize-schema=always").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(LockTablesInitializer.class).refusal()).isNotNull();
			context.getBean(LockTemplate.class).acquire(LockRequest.exclusive("stock")).close();
		});
		assertThat(output).doesNotContain("refused").doesNotContain("ERROR");
		assertThat(output.toString().lines().filter((line) -> line.contains("LeaseStartupCheck")))
			.noneMatch((line) -> line.contains("WARN"));
	}

	@Test
	void clockThatDoesNotExistFailsTheStart() {
		this.waiting.withPropertyValues("interlock.jdbc.clock=no_such_clock()")
			.run((context) -> assertThat(analysis(context).getDescription()).containsIgnoringCase("no_such_clock"));
	}

	@Test
	void wrongPasswordFailsTheStart() {
		as(this.waiting, "app").withPropertyValues("spring.datasource.password=wrong-secret").run((context) -> {
			FailureAnalysis analysis = analysis(context);
			assertThat(analysis.getDescription()).contains(this.url)
				.contains("Wrong user name or password")
				.doesNotContain("wrong-secret");
			assertThat(analysis.getAction()).contains("spring.datasource.password");
		});
	}

	@Test
	void databaseThatIsNotThereFailsTheStart() {
		this.waiting
			.withPropertyValues("spring.datasource.url=jdbc:postgresql://127.0.0.1:1/shop?password=hidden",
					"spring.datasource.hikari.connection-timeout=1000")
			.run((context) -> {
				FailureAnalysis analysis = analysis(context);
				assertThat(analysis.getDescription()).contains("'jdbc:postgresql://127.0.0.1:1/shop'")
					.contains("refused")
					.doesNotContain("hidden");
				assertThat(analysis.getAction()).contains("Start PostgreSQL there").contains("spring.datasource.url");
			});
	}

	@ParameterizedTest
	@EnumSource(DatabaseInitializationMode.class)
	void startWhileTheDatabaseIsDownAcquiresWhenItIsBack(DatabaseInitializationMode mode, CapturedOutput output) {
		if (mode != DatabaseInitializationMode.ALWAYS) {
			createTables();
		}
		AtomicBoolean down = new AtomicBoolean(true);
		DataSource database = new DelegatingDataSource(this.administrator) {

			@Override
			public Connection getConnection() throws SQLException {
				if (down.get()) {
					throw new SQLTransientConnectionException("The test refuses the connection", "08001");
				}
				return super.getConnection();
			}

		};
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JdbcLockAutoConfiguration.class, InterlockAutoConfiguration.class))
			.withBean(DataSource.class, () -> database)
			.withPropertyValues("interlock.provider=jdbc", "interlock.jdbc.pool-size=0",
					"interlock.jdbc.initialize-schema=" + mode)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				LockTemplate template = context.getBean(LockTemplate.class);
				assertThat(catchThrowable(() -> template.tryAcquire(LockRequest.exclusive("stock"))))
					.isInstanceOf(LockServiceUnavailableException.class)
					.hasMessageContaining("The test refuses the connection");
				Background<LockHandle> waiting = Background
					.start(() -> template.acquire(LockRequest.exclusive("stock").withWaitTime(Duration.ofMinutes(1)))
						.detach());
				assertThat(waiting.isRunning()).isTrue();
				down.set(false);
				waiting.join().close();
				Awaitility.await().untilAsserted(() -> assertThat(output).contains("Locks are kept in H2 at"));
			});
	}

	@Test
	void startWhileTheDatabaseIsDownFailsWithinTheTimeout() {
		this.waiting
			.withPropertyValues("spring.datasource.url=jdbc:mariadb://127.0.0.1:1/shop", "interlock.startup-timeout=1s")
			.run((context) -> assertThat(analysis(context).getDescription())
				.contains("MariaDB at 'jdbc:mariadb://127.0.0.1:1/shop' cannot be used for locks within the startup "
						+ "timeout of 1000 ms"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "never", "always" })
	void startWhilePostgresIsDownAcquiresWhenItIsBack(String mode) {
		try (PostgresServer server = PostgresServer.start()) {
			if (mode.equals("never")) {
				DatabasePopulatorUtils.execute(
						new ResourceDatabasePopulator(new ClassPathResource("io/interlock/jdbc/schema-postgresql.sql")),
						new DriverManagerDataSource(server.url(), "postgres", ""));
			}
			server.stop();
			this.contextRunner
				.withPropertyValues("spring.datasource.url=" + server.url(), "spring.datasource.username=postgres",
						"interlock.jdbc.initialize-schema=" + mode)
				.run((context) -> {
					assertThat(context).hasNotFailed();
					assertThat(context.getBean(LeaseLockProvider.class).address().location())
						.startsWith("PostgreSQL at 'jdbc:postgresql://127.0.0.1");
					server.restart();
					context.getBean(LockTemplate.class)
						.acquire(LockRequest.exclusive("stock").withWaitTime(Duration.ofMinutes(1)))
						.close();
				});
		}
	}

	@Test
	void missingRightOnPostgresFailsTheStart() {
		try (PostgresServer server = PostgresServer.start()) {
			ApplicationContextRunner runner = this.waiting.withPropertyValues("spring.datasource.url=" + server.url(),
					"spring.datasource.username=postgres", "interlock.jdbc.initialize-schema=always");
			JdbcClient postgres = JdbcClient.create(new DriverManagerDataSource(server.url(), "postgres", ""));
			runner.run((context) -> assertThat(context).hasNotFailed());
			postgres.sql("CREATE ROLE app LOGIN PASSWORD 'secret-of-app'").update();
			postgres.sql("GRANT SELECT, INSERT, UPDATE, DELETE ON interlock_lock TO app").update();
			postgres.sql("GRANT SELECT, INSERT, UPDATE ON interlock_contender TO app").update();
			runner.withPropertyValues("spring.datasource.username=app", "spring.datasource.password=secret-of-app")
				.run((context) -> assertThat(analysis(context).getDescription())
					.contains("permission denied for table interlock_contender"));
			postgres.sql("GRANT DELETE ON interlock_contender TO app").update();
			runner.withPropertyValues("spring.datasource.username=app", "spring.datasource.password=secret-of-app")
				.run((context) -> assertThat(analysis(context).getDescription())
					.contains("permission denied for table interlock_version"));
			postgres.sql("GRANT SELECT ON interlock_version TO app").update();
			runner.withPropertyValues("spring.datasource.username=app", "spring.datasource.password=secret-of-app")
				.run((context) -> assertThat(context).hasNotFailed());
		}
	}

	static FailureAnalysis analysis(AssertableApplicationContext context) {
		Throwable failure = context.getStartupFailure();
		ArgumentResolver arguments = ArgumentResolver.of(BeanFactory.class, new DefaultListableBeanFactory())
			.and(Environment.class, new MockEnvironment());
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, arguments, FailureHandler.logging(logger))
			.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter(Objects::nonNull)
			.findFirst()
			.orElseThrow();
	}

}

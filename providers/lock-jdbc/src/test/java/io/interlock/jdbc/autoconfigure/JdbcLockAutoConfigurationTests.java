package io.interlock.jdbc.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;

import javax.sql.DataSource;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.annotation.ReadLock;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration;
import io.interlock.jdbc.LockDatabase;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockCapabilities;
import io.interlock.provider.LockProvider;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.postgres.PostgresServer;
import io.r2dbc.spi.ConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link JdbcLockAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class JdbcLockAutoConfigurationTests {

	private final ApplicationContextRunner withoutDatabase = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JdbcLockAutoConfiguration.class, InterlockAutoConfiguration.class,
				LockAnnotationsAutoConfiguration.class));

	private final ApplicationContextRunner contextRunner = this.withoutDatabase
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
		.withPropertyValues("interlock.provider=jdbc", "spring.datasource.generate-unique-name=true");

	@ParameterizedTest
	@ValueSource(strings = { "interlock.jdbc.lease", "interlock.jdbc.poll-interval", "interlock.jdbc.keep-unused" })
	void durationWithoutUnitIsRefused(String property) {
		this.contextRunner.withPropertyValues(property + "=60000")
			.run((context) -> assertThat(context.getStartupFailure()).hasStackTraceContaining(property)
				.hasStackTraceContaining("The time '60000' has no unit. Write a number and a unit"));
	}

	@Test
	void locksInTheDatabaseOfTheApplication() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasSingleBean(LeaseLockProvider.class);
			context.getBean(LockTemplate.class).acquire(LockRequest.exclusive("stock")).close();
			assertThat(locks(context.getBean(DataSource.class))).isOne();
		});
	}

	@Test
	void aChildContextThatClosesLeavesTheLocksOfItsParent() {
		try (PostgresServer server = PostgresServer.start()) {
			ApplicationContextRunner runner = onPostgres(server);
			LockRequest stock = LockRequest.exclusive("stock").withWaitTime(Duration.ZERO);
			runner.run((parent) -> {
				LockTemplate locks = parent.getBean(LockTemplate.class);
				try (LockHandle held = locks.acquire(stock)) {
					runner.withParent(parent)
						.run((child) -> assertThat(child.getBean(LockTemplate.class)).isSameAs(locks));
					runner.run((other) -> assertThat(other.getBean(LockTemplate.class).tryAcquire(stock)).isEmpty());
					assertThat(held.isValid()).isTrue();
				}
				locks.acquire(stock).close();
			});
		}
	}

	@Test
	void locksInDatabaseOfTheirOwn() {
		this.contextRunner.withUserConfiguration(OwnDataSource.class).run((context) -> {
			context.getBean(LockTemplate.class).acquire(LockRequest.exclusive("stock")).close();
			assertThat(locks(context.getBean("locks", DataSource.class))).isOne();
		});
	}

	@Test
	void namesOfTwoNamespacesAreTwoLocks(CapturedOutput output) {
		ApplicationContextRunner runner = this.contextRunner.withPropertyValues(
				"spring.datasource.url=jdbc:h2:mem:namespaces;DB_CLOSE_DELAY=-1", "interlock.startup-timeout=10s");
		LockRequest stock = LockRequest.exclusive("stock");
		runner.run((plain) -> runner.withPropertyValues("interlock.namespace=shop").run((shop) -> {
			assertThat(output).containsOnlyOnce("interlock_contender, namespace shop). Supported: ");
			try (LockHandle held = plain.getBean(LockTemplate.class).acquire(stock);
					LockHandle other = shop.getBean(LockTemplate.class).tryAcquire(stock).orElseThrow()) {
				assertThat(other.id()).isEqualTo(held.id());
			}
			assertThat(JdbcClient.create(plain.getBean(DataSource.class))
				.sql("SELECT lock_id, lock_name FROM interlock_lock ORDER BY lock_name")
				.query((row, number) -> row.getString(1) + " " + row.getString(2))
				.list()).containsExactly("f97a050a3f5dc98ce961727dc04d92c363d6adc767820b41a8362d446a225b7c shop:stock",
						"36065bb0844913dceebb71ab98d22f30e057c6a5b6ce6930dc449d0f4061285c stock");
		}));
	}

	private ApplicationContextRunner onPostgres(PostgresServer server) {
		return this.contextRunner.withPropertyValues("spring.datasource.url=" + server.url(),
				"spring.datasource.username=postgres", "interlock.jdbc.initialize-schema=always",
				"interlock.startup-timeout=30s");
	}

	private static int locks(DataSource dataSource) {
		return JdbcClient.create(dataSource).sql("SELECT COUNT(*) FROM interlock_lock").query(Integer.class).single();
	}

	@Test
	void missingTableIsToldWithWhatToDo() {
		this.contextRunner.withPropertyValues("interlock.jdbc.initialize-schema=never").run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			assertThat(catchThrowable(() -> template.acquire(LockRequest.exclusive("stock"))))
				.hasMessageContaining("stock")
				.hasMessageContaining("interlock.jdbc.initialize-schema");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "1st_", "a-b_", "a.b.c_", "app.", "x;", "x'", "{now}",
			"more_than_forty_characters_are_in_this_one" })
	void prefixThatCannotBeginNamesIsRefused(String prefix) {
		this.contextRunner.withPropertyValues("interlock.jdbc.table-prefix=" + prefix)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("interlock.jdbc.table-prefix"));
	}

	@Test
	void messageOfMissingTableHasItsPrefix() {
		this.contextRunner
			.withPropertyValues("interlock.jdbc.initialize-schema=never", "interlock.jdbc.table-prefix=SHOP_")
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				assertThat(catchThrowable(() -> template.acquire(LockRequest.exclusive("stock"))))
					.hasMessageContaining("SHOP_");
			});
	}

	@Test
	void schemaThatDoesNotExistIsToldWithWhatToDo() {
		this.contextRunner.withPropertyValues("interlock.jdbc.table-prefix=absent.interlock_").run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			assertThat(catchThrowable(() -> template.acquire(LockRequest.exclusive("stock"))))
				.hasMessageContaining("ABSENT")
				.hasMessageContaining("interlock.jdbc.initialize-schema");
		});
	}

	@ParameterizedTest
	@CsvSource({ "jdbc:h2:mem:locks, true", "jdbc:h2:mem:clocks, true", "jdbc:h2:%s/locks, false" })
	void databaseInTheMemoryOfOneProcessIsWarnedOf(String url, boolean warned, @TempDir Path directory,
			CapturedOutput output) {
		this.contextRunner
			.withPropertyValues("spring.datasource.url=" + url.formatted(directory),
					"interlock.jdbc.initialize-schema=always", url.contains("clocks")
							? "interlock.jdbc.clock=" + LockDatabase.H2.clock() : "interlock.jdbc.clock=")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output.getOut().lines().filter((line) -> line.contains("inside this process")))
			.hasSize(warned ? 1 : 0);
	}

	@Test
	void misspelledPropertyFailsTheStart() {
		this.contextRunner.withPropertyValues("interlock.jdbc.leese=6s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(UnboundConfigurationPropertiesException.class)
				.hasMessageContaining("interlock.jdbc.leese"));
	}

	@Test
	void missingDataSourceIsToldAtStartup() {
		this.withoutDatabase.withPropertyValues("interlock.provider=jdbc")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("interlock.provider")
				.extracting("reason")
				.asString()
				.contains("@LockDataSource"));
	}

	@Test
	void missingDataSourceBesideR2dbcIsToldAtStartup() {
		this.contextRunner.withBean(ConnectionFactory.class, () -> mock(ConnectionFactory.class))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("interlock.provider")
				.extracting("reason")
				.asString()
				.contains("R2DBC", "spring.datasource has no effect", "@LockDataSource", "JDBC driver")
				.doesNotContain("Configure spring.datasource"));
	}

	@Test
	void locksBesideR2dbcHaveADataSourceOfTheirOwn() {
		this.contextRunner.withBean(ConnectionFactory.class, () -> mock(ConnectionFactory.class))
			.withUserConfiguration(OwnDataSource.class)
			.run((context) -> assertThat(context.getBean(LockTemplate.class).tryAcquire(LockRequest.exclusive("stock")))
				.hasValueSatisfying(LockHandle::close));
	}

	@Test
	void memoryOpensNoDatabase() {
		this.withoutDatabase.withPropertyValues("interlock.provider=memory")
			.run((context) -> assertThat(context).hasSingleBean(InMemoryLockProvider.class)
				.doesNotHaveBean(LeaseLockProvider.class));
	}

	@Test
	void worksWithoutCurator() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.apache.curator", "org.apache.zookeeper"))
			.run((context) -> assertThat(context).hasSingleBean(LeaseLockProvider.class));
	}

	@Test
	void annotatedMethodThatTheProviderCannotServeFailsTheStart() {
		this.withoutDatabase.withUserConfiguration(ExclusiveOnly.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Reader.read()")
				.hasMessageContaining("SHARED")
				.hasMessageContaining("interlock.provider"));
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnDataSource {

		@Bean(defaultCandidate = false)
		@LockDataSource
		DataSource locks() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ExclusiveOnly {

		@Bean
		LockProvider exclusiveOnly() {
			LockProvider memory = new InMemoryLockProvider();
			return new LockProvider() {

				@Override
				public LockAttempt attempt(LockRequest request, LockCaller owner) {
					return memory.attempt(request, owner);
				}

				@Override
				public LockCapabilities capabilities() {
					return new LockCapabilities(false, false, false, false, false);
				}

			};
		}

		@Bean
		Reader reader() {
			return new Reader();
		}

	}

	static class Reader {

		@ReadLock("catalogue")
		public String read() {
			return "read";
		}

	}

}

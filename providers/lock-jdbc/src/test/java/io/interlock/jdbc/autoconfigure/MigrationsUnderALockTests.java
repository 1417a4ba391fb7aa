package io.interlock.jdbc.autoconfigure;

import java.util.List;

import javax.sql.DataSource;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.jdbc.PageExamples;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSnapshot;
import io.interlock.template.LockTemplate;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.BeanCurrentlyInCreationException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Migrations of Flyway under a lock, which the provider of locks in the same database
 * waits for.
 */
class MigrationsUnderALockTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JdbcLockAutoConfiguration.class, InterlockAutoConfiguration.class,
				DataSourceAutoConfiguration.class, FlywayAutoConfiguration.class))
		.withUserConfiguration(LocksOfTheMigration.class)
		.withPropertyValues("spring.datasource.generate-unique-name=true",
				"spring.flyway.locations=classpath:io/interlock/jdbc/migration");

	@Test
	void aMigrationUnderALockOfItsDatabaseIsACircle() {
		this.contextRunner.withPropertyValues("interlock.provider=jdbc")
			.withUserConfiguration(PageExamples.MigrationUnderALock.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(BeanCurrentlyInCreationException.class));
	}

	@Test
	void aMigrationUnderALockOfAnotherStoreRuns() {
		this.contextRunner.withPropertyValues("interlock.provider=memory")
			.withUserConfiguration(PageExamples.MigrationUnderALock.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertMigratedUnderTheLock(context.getBean(LocksOfTheMigration.class),
						context.getBean(DataSource.class));
			});
	}

	@Test
	void aMigrationAfterTheStartRunsUnderALockOfItsDatabase() {
		this.contextRunner
			.withPropertyValues("interlock.provider=jdbc", "interlock.jdbc.initialize-schema=always",
					"spring.flyway.baseline-on-migrate=true", "spring.flyway.baseline-version=0")
			.withUserConfiguration(PageExamples.MigrationAfterTheStart.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				context.getBean(ApplicationRunner.class).run(null);
				assertMigratedUnderTheLock(context.getBean(LocksOfTheMigration.class),
						context.getBean(DataSource.class));
			});
	}

	@Test
	void aMigrationWithoutALockComesBeforeTheLocks() {
		this.contextRunner.withPropertyValues("interlock.provider=jdbc", "interlock.jdbc.initialize-schema=never")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(migrated(context.getBean(DataSource.class))).isOne();
				assertThat(context).hasSingleBean(LockTemplate.class);
			});
	}

	private static void assertMigratedUnderTheLock(LocksOfTheMigration migration, DataSource dataSource) {
		assertThat(migration.held).extracting((lock) -> lock.id().name()).containsExactly("migration");
		assertThat(migrated(dataSource)).isOne();
	}

	private static int migrated(DataSource dataSource) {
		return JdbcClient.create(dataSource).sql("SELECT COUNT(*) FROM customer").query(Integer.class).single();
	}

	/** Notes which locks are held when the migration runs. */
	@Configuration(proxyBeanMethods = false)
	static class LocksOfTheMigration implements Callback {

		private final ObjectProvider<HeldLocks> heldLocks;

		private List<LockSnapshot> held = List.of();

		LocksOfTheMigration(ObjectProvider<HeldLocks> heldLocks) {
			this.heldLocks = heldLocks;
		}

		@Override
		public boolean supports(Event event, Context context) {
			return event == Event.AFTER_EACH_MIGRATE;
		}

		@Override
		public boolean canHandleInTransaction(Event event, Context context) {
			return true;
		}

		@Override
		public void handle(Event event, Context context) {
			this.held = this.heldLocks.getObject().held();
		}

		@Override
		public String getCallbackName() {
			return "locks";
		}

	}

}

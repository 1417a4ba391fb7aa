package io.interlock.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockRequest;
import io.interlock.jdbc.autoconfigure.LockDataSource;
import io.interlock.template.LockOperations;
import org.flywaydb.core.Flyway;

import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The examples of {@code docs/providers.md}. They compile, and those of migrations run.
 */
public final class PageExamples {

	private PageExamples() {
	}

	@Configuration(proxyBeanMethods = false)
	static class DataSources {

		@Bean(defaultCandidate = false)
		@LockDataSource
		HikariDataSource lockDataSource() {
			HikariDataSource locks = new HikariDataSource();
			locks.setJdbcUrl("jdbc:postgresql://db/shop");
			locks.setMaximumPoolSize(13);
			locks.setConnectionTimeout(5000);
			return locks;
		}

	}

	@Configuration(proxyBeanMethods = false)
	public static class MigrationUnderALock {

		@Bean
		FlywayMigrationStrategy migrateUnderALock(LockOperations locks) {
			return (flyway) -> locks.execute(LockRequest.exclusive("migration"), (lock) -> flyway.migrate());
		}

	}

	@Configuration(proxyBeanMethods = false)
	public static class MigrationAfterTheStart {

		@Bean
		FlywayMigrationStrategy migrateLater() {
			return (flyway) -> {
			};
		}

		@Bean
		ApplicationRunner migrate(Flyway flyway, LockOperations locks) {
			return (arguments) -> locks.execute(LockRequest.exclusive("migration"), (lock) -> flyway.migrate());
		}

	}

}

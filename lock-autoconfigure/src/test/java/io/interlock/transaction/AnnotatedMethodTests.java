package io.interlock.transaction;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockLostException;
import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration;
import io.interlock.autoconfigure.LockTransactionAutoConfiguration;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for a method that is annotated with a lock and with a transaction.
 */
class AnnotatedMethodTests {

	private final InMemoryLocks locks = new InMemoryLocks();

	@Test
	void commitsBeforeTheLockIsReleased() {
		run((database, office, transaction) -> {
			this.locks.onRelease(() -> assertThat(database.contains(1)).isTrue());
			office.sell(1, () -> {
			});
			assertThat(this.locks.last().releases()).isEqualTo(1);
			assertThat(database.contains(1)).isTrue();
		});
	}

	@Test
	@Proves(value = Promise.TRANSACTIONS, under = Fault.THE_LOCK_IS_LOST)
	void rollsBackWhenTheLockIsLost() {
		run((database, office, transaction) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> office.sell(1, this.locks::loseAll))
				.withMessageContaining("AnnotatedMethodTests$Office.sell' was rolled back instead of committed");
			assertThat(database.contains(1)).isFalse();
			assertThat(database.connectionsInUse()).isZero();
		});
	}

	@Test
	void rollsTheTransactionBackThatWasOpenBefore() {
		run((database, office, transaction) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
					office.sell(1, () -> {
					});
					this.locks.loseAll();
				}));
			assertThat(database.contains(1)).isFalse();
			assertThat(this.locks.last().releases()).isEqualTo(1);
		});
	}

	private void run(Scenario scenario) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(TransactionManagerCustomizationAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
					InterlockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class,
					LockTransactionAutoConfiguration.class))
			.withBean(InMemoryLocks.class, () -> this.locks)
			.withUserConfiguration(OfficeConfiguration.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				scenario.run(context.getBean(Database.class), context.getBean(Office.class),
						context.getBean(TransactionTemplate.class));
			});
	}

	private interface Scenario {

		void run(Database database, Office office, TransactionTemplate transaction);

	}

	@Configuration(proxyBeanMethods = false)
	static class OfficeConfiguration {

		@Bean
		Database database() {
			return new Database(2);
		}

		@Bean(destroyMethod = "")
		HikariDataSource dataSource(Database database) {
			return database.pool();
		}

		@Bean
		Office office(Database database) {
			return new Office(database);
		}

	}

	static class Office {

		private final Database database;

		Office(Database database) {
			this.database = database;
		}

		@DistributedLock(name = "seat", key = "#id")
		@Transactional
		public void sell(int id, Runnable beforeCommit) {
			assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
			this.database.insert(id);
			beforeCommit.run();
		}

	}

}

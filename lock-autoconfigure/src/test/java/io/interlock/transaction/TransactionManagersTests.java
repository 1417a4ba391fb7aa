package io.interlock.transaction;

import java.util.function.Consumer;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockTransactionAutoConfiguration;
import io.interlock.template.LockOperations;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockVerifyingTransactionListener} in applications: JDBC and JPA, the
 * transaction manager of Spring Boot and the application's own.
 */
class TransactionManagersTests {

	private static final LockRequest SEAT = LockRequest.exclusive("seat");

	@ParameterizedTest
	@EnumSource
	void commitsWhileTheLockIsHeld(Application application) {
		application.run((context) -> {
			sell(context, () -> {
			});
			assertThat(rows(context)).isEqualTo(1);
			assertThat(locks(context).verifications()).isZero();
		});
	}

	@ParameterizedTest
	@EnumSource
	@Proves(value = Promise.TRANSACTIONS, under = Fault.THE_LOCK_IS_LOST, note = "JDBC and JPA")
	void rollsBackWhenTheLockIsLost(Application application) {
		application.run((context) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> sell(context, locks(context)::loseAll))
				.withMessageContaining("rolled back instead of committed");
			assertThat(rows(context)).isZero();
			assertThat(connectionsInUse(context)).isZero();
		});
	}

	@ParameterizedTest
	@EnumSource
	void rollsBackWhenNobodyAnswers(Application application) {
		application.run((context) -> {
			assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> sell(context, () -> locks(context).suspendAll(false)));
			assertThat(rows(context)).isZero();
			assertThat(connectionsInUse(context)).isZero();
		});
	}

	@ParameterizedTest
	@EnumSource
	void commitsWhenTheServersConfirmTheLock(Application application) {
		application.run((context) -> {
			sell(context, () -> locks(context).suspendAll(true));
			assertThat(rows(context)).isEqualTo(1);
			assertThat(locks(context).verifications()).isEqualTo(1);
		});
	}

	private static void sell(ApplicationContext context, Runnable beforeCommit) {
		TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
		context.getBean(LockOperations.class)
			.executeWithoutResult(SEAT, (lock) -> transaction.executeWithoutResult((status) -> {
				context.getBean(Seats.class).insert(1);
				beforeCommit.run();
			}));
	}

	private static InMemoryLocks locks(ApplicationContext context) {
		return context.getBean(InMemoryLocks.class);
	}

	private static int rows(ApplicationContext context) {
		return JdbcClient.create(context.getBean(HikariDataSource.class))
			.sql("SELECT COUNT(*) FROM seat")
			.query(Integer.class)
			.single();
	}

	private static int connectionsInUse(ApplicationContext context) {
		return context.getBean(HikariDataSource.class).getHikariPoolMXBean().getActiveConnections();
	}

	enum Application {

		JDBC_WITH_MANAGER_OF_BOOT(DataSourceTransactionManagerAutoConfiguration.class, JdbcSeats.class),

		JDBC_WITH_MANAGER_OF_ITS_OWN(DataSourceTransactionManagerAutoConfiguration.class, JdbcSeats.class,
				OwnJdbcManager.class),

		JPA_WITH_MANAGER_OF_BOOT(HibernateJpaAutoConfiguration.class, JpaSeats.class),

		JPA_WITH_MANAGER_OF_ITS_OWN(HibernateJpaAutoConfiguration.class, JpaSeats.class, OwnJpaManager.class);

		private final Class<?> autoConfiguration;

		private final Class<?>[] configurations;

		Application(Class<?> autoConfiguration, Class<?>... configurations) {
			this.autoConfiguration = autoConfiguration;
			this.configurations = configurations;
		}

		void run(Consumer<ApplicationContext> test) {
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
						TransactionManagerCustomizationAutoConfiguration.class, this.autoConfiguration,
						InterlockAutoConfiguration.class, LockTransactionAutoConfiguration.class))
				.withBean(InMemoryLocks.class)
				.withUserConfiguration(this.configurations)
				.withPropertyValues("spring.datasource.hikari.maximum-pool-size=1")
				.run((context) -> {
					assertThat(context).hasNotFailed();
					test.accept(context);
				});
		}

	}

	interface Seats {

		void insert(int id);

	}

	@Configuration(proxyBeanMethods = false)
	static class JdbcSeats {

		@Bean
		Seats seats(HikariDataSource dataSource) {
			JdbcClient client = JdbcClient.create(dataSource);
			client.sql("CREATE TABLE seat (id INT PRIMARY KEY)").update();
			return (id) -> client.sql("INSERT INTO seat VALUES (:id)").param("id", id).update();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EntityScan(basePackageClasses = SeatEntity.class)
	static class JpaSeats {

		@Bean
		Seats seats(EntityManagerFactory factory) {
			EntityManager entityManager = SharedEntityManagerCreator.createSharedEntityManager(factory);
			return (id) -> {
				entityManager.persist(new SeatEntity(id));
				entityManager.flush();
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnJdbcManager {

		@Bean
		JdbcTransactionManager ownManager(HikariDataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnJpaManager {

		@Bean
		JpaTransactionManager ownManager(EntityManagerFactory factory) {
			return new JpaTransactionManager(factory);
		}

	}

}

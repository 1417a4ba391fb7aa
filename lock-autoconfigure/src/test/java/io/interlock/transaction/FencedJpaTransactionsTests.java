package io.interlock.transaction;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockTransactionAutoConfiguration;
import io.interlock.fencing.StaleLockException;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.LockOperations;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.DefaultJpaDialect;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link TransactionFence} with JPA.
 */
class FencedJpaTransactionsTests {

	private static final LockRequest STOCK = LockRequest.exclusive("stock");

	private static void run(Consumer<ApplicationContext> test) {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DataSourceAutoConfiguration.class, HibernateJpaAutoConfiguration.class,
							InterlockAutoConfiguration.class, LockTransactionAutoConfiguration.class))
			.withUserConfiguration(TwoManagers.class)
			.withBean(InMemoryLockProvider.class, InMemoryLockProvider::new)
			.withPropertyValues("interlock.provider=memory", "interlock.transactions.fence=true",
					"interlock.default-wait-time=10s", "interlock.transactions.verify-before-commit=none",
					"spring.datasource.generate-unique-name=true", "spring.jpa.hibernate.ddl-auto=create")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				jdbc(context).sql("INSERT INTO fenced_stock (id, amount) VALUES (1, 0)").update();
				test.accept(context);
			});
	}

	private static JdbcClient jdbc(ApplicationContext context) {
		return JdbcClient.create(context.getBean(DataSource.class));
	}

	private static LockOperations locks(ApplicationContext context) {
		return context.getBean(LockOperations.class);
	}

	private static TransactionTemplate transaction(ApplicationContext context, String manager) {
		return new TransactionTemplate(context.getBean(manager, PlatformTransactionManager.class));
	}

	/** Add one to an entity, in the transaction of this thread. */
	private static void increment(ApplicationContext context) {
		EntityManager entities = SharedEntityManagerCreator
			.createSharedEntityManager(context.getBean(EntityManagerFactory.class));
		entities.find(Stock.class, 1).amount++;
	}

	private static int amount(ApplicationContext context) {
		return jdbc(context).sql("SELECT amount FROM fenced_stock").query(Integer.class).single();
	}

	private static CompletableFuture<Void> onAnotherThread(ApplicationContext context, Runnable action) {
		return CompletableFuture.runAsync(() -> {
			try (LockHandle lock = locks(context).acquire(STOCK)) {
				assertThat(lock.isValid()).isTrue();
				action.run();
			}
		}, (task) -> new Thread(task, "later").start());
	}

	@Test
	void entityHasTheStateBehindTheFence() {
		run((context) -> {
			TransactionTemplate jpa = transaction(context, "jpa");
			CountDownLatch passed = new CountDownLatch(1);
			CountDownLatch end = new CountDownLatch(1);
			CompletableFuture<Void> earlier = onAnotherThread(context, () -> jpa.executeWithoutResult((status) -> {
				passed.countDown();
				await(end);
				increment(context);
			}));
			await(passed);
			context.getBean(InMemoryLockProvider.class).changeState(STOCK.id(), LockState.LOST);
			CompletableFuture<Void> later = onAnotherThread(context,
					() -> jpa.executeWithoutResult((status) -> increment(context)));
			Awaitility.await()
				.until(() -> context.getBean(HikariDataSource.class).getHikariPoolMXBean().getActiveConnections() == 2);
			end.countDown();
			CompletableFuture.allOf(earlier, later).orTimeout(30, TimeUnit.SECONDS).join();
			assertThat(amount(context)).isEqualTo(2);
		});
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Spring would commit the connection of the outer transaction with the inner one. */
	@Test
	void innerTransactionOfJdbcOnTheConnectionOfJpaIsRefusedAndRollsBoth() {
		run((context) -> {
			locks(context).executeWithoutResult(STOCK, (lock) -> assertThatIllegalStateException()
				.isThrownBy(() -> transaction(context, "jpa").executeWithoutResult((status) -> {
					assertThatIllegalStateException()
						.isThrownBy(() -> transaction(context, "jdbc").executeWithoutResult((inner) -> {
						}))
						.withMessageContaining("Use one transaction manager for both");
					increment(context);
				}))
				.withMessageContaining("continued without its fence"));
			assertThat(amount(context)).isZero();
		});
	}

	@Test
	void transactionWhoseConnectionIsNotKnownFailsUnderALock() {
		run((context) -> {
			context.getBean("jpa", JpaTransactionManager.class).setJpaDialect(new DefaultJpaDialect());
			TransactionTemplate jpa = transaction(context, "jpa");
			jpa.executeWithoutResult((status) -> increment(context));
			try (LockHandle lock = locks(context).acquire(STOCK)) {
				assertThatIllegalStateException()
					.isThrownBy(() -> jpa.executeWithoutResult((status) -> increment(context)))
					.withMessageContaining("JpaDialect");
				assertThat(lock.isValid()).isTrue();
			}
			assertThat(amount(context)).isOne();
		});
	}

	@Test
	void staleTransactionOfJdbcIsRefusedByOneOfJpa() {
		run((context) -> {
			try (LockHandle lock = locks(context).acquire(STOCK)) {
				context.getBean(InMemoryLockProvider.class).changeState(STOCK.id(), LockState.LOST);
				onAnotherThread(context,
						() -> transaction(context, "jpa").executeWithoutResult((status) -> increment(context)))
					.join();
				assertThatExceptionOfType(StaleLockException.class)
					.isThrownBy(() -> transaction(context, "jdbc").executeWithoutResult((status) -> {
					}));
				assertThat(lock.isLost()).isTrue();
			}
		});
	}

	@Entity(name = "FencedStock")
	static class Stock {

		@Id
		int id;

		int amount;

	}

	@Configuration(proxyBeanMethods = false)
	@EntityScan(basePackageClasses = Stock.class)
	static class TwoManagers {

		@Bean
		JpaTransactionManager jpa(EntityManagerFactory factory) {
			return new JpaTransactionManager(factory);
		}

		@Bean
		JdbcTransactionManager jdbc(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

}

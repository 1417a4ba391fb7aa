package io.interlock.jdbc.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration;
import io.interlock.autoconfigure.LockTransactionAutoConfiguration;
import io.interlock.template.LockTemplate;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Callers inside open transactions ask for a lock in the database of the application,
 * whose pool has fewer connections than there are callers.
 */
abstract class OpenTransactionsContract {

	private static final int CALLERS = 20;

	private final ApplicationContextRunner contextRunner;

	OpenTransactionsContract(String url, String username) {
		this.contextRunner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JdbcLockAutoConfiguration.class, InterlockAutoConfiguration.class,
					LockAnnotationsAutoConfiguration.class, LockTransactionAutoConfiguration.class,
					DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
					JdbcTemplateAutoConfiguration.class, JdbcClientAutoConfiguration.class))
			.withUserConfiguration(Shop.class)
			.withPropertyValues("interlock.provider=jdbc", "interlock.jdbc.initialize-schema=always",
					"spring.datasource.url=" + url, "spring.datasource.username=" + username,
					"spring.datasource.hikari.maximum-pool-size=10");
	}

	@Test
	void twentyCallersShareOneLockAndTenConnections() {
		this.contextRunner.run((context) -> {
			JdbcClient client = context.getBean(JdbcClient.class);
			client.sql("DROP TABLE IF EXISTS sold").update();
			client.sql("CREATE TABLE sold (number INTEGER)").update();
			ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
			try {
				for (Future<Integer> sale : threads.invokeAll(callers(context))) {
					sale.get();
				}
			}
			finally {
				threads.shutdownNow();
			}
			assertThat(client.sql("SELECT number FROM sold").query(Integer.class).list()).hasSize(CALLERS);
		});
	}

	private static List<Callable<Integer>> callers(ApplicationContext context) {
		Stock stock = context.getBean(Stock.class);
		TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
		Callable<Integer> caller = () -> transaction.execute((status) -> stock.sell());
		return Stream.generate(() -> caller).limit(CALLERS).toList();
	}

	/**
	 * The control: the connection of the only transaction is the one that its lock needs.
	 */
	@Test
	void callerStarvesItsLockOfTheConnectionsOfTheApplication() {
		this.contextRunner
			.withPropertyValues("interlock.jdbc.pool-size=0", "spring.datasource.hikari.maximum-pool-size=1",
					"spring.datasource.hikari.connection-timeout=250")
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				LockRequest request = LockRequest.exclusive("stock").withWaitTime(Duration.ofMillis(500));
				assertThatExceptionOfType(LockServiceUnavailableException.class)
					.isThrownBy(() -> new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
						.executeWithoutResult((status) -> template.executeWithoutResult(request, (lock) -> {
						})));
			});
	}

	@Configuration(proxyBeanMethods = false)
	static class Shop {

		@Bean
		Stock stock(JdbcClient client) {
			return new Stock(client);
		}

	}

	static class Stock {

		private final JdbcClient client;

		Stock(JdbcClient client) {
			this.client = client;
		}

		@DistributedLock(name = "stock", waitTime = "60s")
		public int sell() {
			int number = this.client.sql("SELECT COUNT(*) FROM sold").query(Integer.class).single();
			return this.client.sql("INSERT INTO sold VALUES (?)").param(number).update();
		}

	}

}

package io.interlock.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

import io.interlock.annotation.DistributedLock;
import io.interlock.interceptor.RecordingLockOperations;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncConfigurer;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for the place of the lock among the other advice of a method.
 */
class LockOrderTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAnnotationsAutoConfiguration.class, AopAutoConfiguration.class,
				DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, TransactionAutoConfiguration.class))
		.withPropertyValues("spring.datasource.generate-unique-name=true")
		.withBean(RecordingLockOperations.class)
		.withBean(Stock.class);

	@Test
	@Proves(Promise.TRANSACTIONS)
	void commitIsVisibleToOthersBeforeTheLockIsReleased() {
		this.contextRunner.run((context) -> {
			List<Integer> seen = watchFromAnotherConnection(context);
			context.getBean(Stock.class).take();
			assertThat(seen).containsExactly(9);
		});
	}

	@Test
	@Proves(Promise.TRANSACTIONS)
	void rollbackIsCompleteBeforeTheLockIsReleased() {
		this.contextRunner.run((context) -> {
			List<Integer> seen = watchFromAnotherConnection(context);
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(Stock.class).takeAndFail());
			assertThat(seen).containsExactly(10);
		});
	}

	@Test
	void transactionStartsUnderTheLock() {
		this.contextRunner.run((context) -> {
			watchFromAnotherConnection(context);
			Stock stock = context.getBean(Stock.class);
			stock.take();
			assertThat(stock.activeTransactions()).containsExactly(true);
			assertThat(context.getBean(PlatformTransactionManager.class)).isInstanceOf(JdbcTransactionManager.class);
		});
	}

	@Test
	void orderHoldsWithoutAspectJ() {
		this.contextRunner.withPropertyValues("spring.aop.auto=false").run((context) -> {
			List<Integer> seen = watchFromAnotherConnection(context);
			context.getBean(Stock.class).take();
			assertThat(seen).containsExactly(9);
		});
	}

	@Test
	void orderCanPutTheLockInsideTheTransaction() {
		this.contextRunner.withPropertyValues("interlock.annotations.order=2147483647")
			.withUserConfiguration(TransactionsOutside.class)
			.run((context) -> {
				List<Integer> seen = watchFromAnotherConnection(context);
				context.getBean(Stock.class).take();
				assertThat(seen).containsExactly(10);
			});
	}

	@Test
	void cacheIsAskedUnderTheLock() {
		this.contextRunner.withUserConfiguration(CacheConfiguration.class).withBean(Prices.class).run((context) -> {
			Prices prices = context.getBean(Prices.class);
			prices.price("A-1");
			prices.price("A-1");
			assertThat(prices.calls()).isEqualTo(1);
			assertThat(context.getBean(RecordingLockOperations.class).requests()).hasSize(2);
		});
	}

	@Test
	void aspectWithoutOrderRunsUnderTheLock() {
		this.contextRunner.withBean(WatchingAspect.class).run((context) -> {
			watchFromAnotherConnection(context);
			context.getBean(Stock.class).take();
			assertThat(context.getBean(WatchingAspect.class).held).containsExactly(true);
		});
	}

	@Test
	void asynchronousMethodTakesTheLockOnItsOwnThread() {
		this.contextRunner.withUserConfiguration(AsyncConfiguration.class).withBean(Mailer.class).run((context) -> {
			context.getBean(Mailer.class).send();
			AsyncConfiguration tasks = context.getBean(AsyncConfiguration.class);
			RecordingLockOperations locks = context.getBean(RecordingLockOperations.class);
			assertThat(locks.requests()).isEmpty();
			tasks.runAll();
			assertThat(locks.requests()).hasSize(1);
		});
	}

	private static List<Integer> watchFromAnotherConnection(AssertableApplicationContext context) {
		JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
		jdbc.execute("create table stock (quantity int)");
		jdbc.update("insert into stock values (10)");
		List<Integer> seen = new ArrayList<>();
		context.getBean(RecordingLockOperations.class).beforeRelease(() -> {
			Thread other = new Thread(() -> seen.add(jdbc.queryForObject("select quantity from stock", Integer.class)));
			other.start();
			try {
				other.join();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		});
		return seen;
	}

	static class Stock {

		private final List<Boolean> activeTransactions = new ArrayList<>();

		private final JdbcTemplate jdbc;

		Stock(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		List<Boolean> activeTransactions() {
			return this.activeTransactions;
		}

		@DistributedLock("stock")
		@Transactional
		public void take() {
			this.activeTransactions.add(TransactionSynchronizationManager.isActualTransactionActive());
			this.jdbc.update("update stock set quantity = quantity - 1");
		}

		@DistributedLock("stock")
		@Transactional
		public void takeAndFail() {
			take();
			throw new IllegalStateException("sold out");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 0, proxyTargetClass = true)
	static class TransactionsOutside {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(proxyTargetClass = true)
	static class CacheConfiguration {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

	}

	static class Prices {

		private int calls;

		int calls() {
			return this.calls;
		}

		@DistributedLock(name = "prices", key = "#sku")
		@Cacheable("prices")
		public int price(String sku) {
			return ++this.calls;
		}

	}

	@Aspect
	static class WatchingAspect {

		private final List<Boolean> held = new ArrayList<>();

		private final RecordingLockOperations locks;

		WatchingAspect(RecordingLockOperations locks) {
			this.locks = locks;
		}

		@Around("execution(* io.interlock.autoconfigure.LockOrderTests.Stock.take())")
		Object watch(ProceedingJoinPoint joinPoint) throws Throwable {
			this.held.add(this.locks.isHolding());
			return joinPoint.proceed();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	static class AsyncConfiguration implements AsyncConfigurer {

		private final List<Runnable> tasks = new ArrayList<>();

		@Override
		public Executor getAsyncExecutor() {
			return this.tasks::add;
		}

		void runAll() {
			this.tasks.forEach(Runnable::run);
		}

	}

	static class Mailer {

		@Async
		@DistributedLock("mail")
		public void send() {
		}

	}

}

package io.interlock.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.interceptor.LockAdvisor;
import io.interlock.interceptor.LockOverrides;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.LockContext;
import io.interlock.template.LockTemplate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the release of locks of methods that begin a transaction of their own inside
 * of the transaction of their caller.
 */
class OwnTransactionTests {

	private AnnotationConfigApplicationContext context;

	private InMemoryLockProvider provider;

	private Office office;

	private TransactionTemplate transaction;

	@AfterEach
	void nothingIsLeftBehind() {
		assertThat(held()).isZero();
		assertThat(LockContext.held()).isEmpty();
		this.context.close();
	}

	enum Order {

		LOCK_OUTSIDE, TRANSACTION_OUTSIDE

	}

	@ParameterizedTest
	@EnumSource
	void newTransactionReleasesWithItsOwnCommit(Order order) {
		start(order);
		List<Boolean> committed = new ArrayList<>();
		this.transaction.executeWithoutResult((status) -> {
			this.office.sellInANewTransaction(1, () -> assertThat(held()).isOne());
			assertThat(held()).isZero();
			committed.add(this.context.getBean("database", Database.class).contains(1));
		});
		assertThat(committed).containsExactly(true);
	}

	@ParameterizedTest
	@EnumSource
	void batchOfNewTransactionsHoldsOneLockAtATime(Order order) {
		start(order);
		List<Integer> held = new ArrayList<>();
		this.transaction.executeWithoutResult((status) -> IntStream.range(0, 300)
			.forEach((id) -> this.office.sellInANewTransaction(id, () -> held.add(held()))));
		assertThat(held).hasSize(300).containsOnly(1);
	}

	@ParameterizedTest
	@EnumSource
	void batchThatRollsBackHasReleasedItsItems(Order order) {
		start(order);
		this.transaction.executeWithoutResult((status) -> {
			IntStream.range(0, 3).forEach(this.office::process);
			assertThat(held()).isZero();
			status.setRollbackOnly();
		});
		assertThat(this.context.getBean("database", Database.class).contains(2)).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void methodWithoutTransactionReleasesAtItsEnd(Order order) {
		start(order);
		this.transaction.executeWithoutResult((status) -> {
			this.office.sellWithoutTransaction(1);
			assertThat(held()).isZero();
		});
	}

	@ParameterizedTest
	@EnumSource
	void transactionOfAnotherManagerReleasesWithItsOwnCommit(Order order) {
		start(order);
		this.transaction.executeWithoutResult((status) -> {
			this.office.sellElsewhere(1);
			assertThat(held()).isZero();
			assertThat(this.context.getBean("otherDatabase", Database.class).contains(1)).isTrue();
		});
	}

	@ParameterizedTest
	@EnumSource
	void transactionOfAnotherManagerThatIsOpenTooKeepsTheLock(Order order) {
		start(order);
		TransactionTemplate other = new TransactionTemplate(
				this.context.getBean("otherManager", PlatformTransactionManager.class));
		other.executeWithoutResult((outer) -> this.transaction.executeWithoutResult((status) -> {
			this.office.sellElsewhere(1);
			assertThat(held()).isOne();
		}));
	}

	@ParameterizedTest
	@EnumSource
	void methodThatTakesPartKeepsTheLock(Order order) {
		start(order);
		this.transaction.executeWithoutResult((status) -> {
			this.office.sell(1);
			this.office.support(2);
			this.office.nest(3);
			this.office.mandate(4);
			this.office.plain(5);
			assertThat(held()).isEqualTo(5);
		});
	}

	@ParameterizedTest
	@EnumSource
	void newTransactionDeeperInsideKeepsTheLock(Order order) {
		start(order);
		this.transaction.executeWithoutResult((status) -> {
			this.office.sellAndBegin(1, () -> this.office.sellInANewTransaction(2, () -> {
			}));
			assertThat(held()).isOne();
		});
	}

	@ParameterizedTest
	@EnumSource
	void transactionTemplateInsideKeepsTheLock(Order order) {
		start(order);
		TransactionTemplate inner = new TransactionTemplate(
				this.context.getBean("manager", PlatformTransactionManager.class));
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transaction.executeWithoutResult((status) -> {
			this.office.sellAndBegin(1, () -> inner.executeWithoutResult((own) -> {
			}));
			assertThat(held()).isOne();
		});
	}

	@ParameterizedTest
	@EnumSource
	void lockThatTheCallerKeepsStays(Order order) {
		start(order);
		this.transaction.executeWithoutResult((status) -> {
			this.office.plain(1);
			this.office.sellInANewTransaction(1, () -> {
			});
			assertThat(held()).isOne();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "a", "b" })
	void severalKeysAreReleasedToo(String key) {
		start(Order.LOCK_OUTSIDE);
		this.transaction.executeWithoutResult((status) -> {
			this.office.move(key, "c");
			assertThat(held()).isZero();
		});
	}

	@Test
	void withoutACallersTransactionNothingChanges() {
		start(Order.LOCK_OUTSIDE);
		this.office.sellInANewTransaction(1, () -> assertThat(held()).isOne());
		this.office.sell(2);
		assertThat(held()).isZero();
	}

	private int held() {
		return this.provider.grants().size();
	}

	private void start(Order order) {
		this.context = new AnnotationConfigApplicationContext(
				(order == Order.LOCK_OUTSIDE) ? LockOutside.class : TransactionOutside.class);
		this.provider = this.context.getBean(InMemoryLockProvider.class);
		this.office = this.context.getBean(Office.class);
		this.transaction = new TransactionTemplate(this.context.getBean("manager", PlatformTransactionManager.class));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class LockOutside extends Beans {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true, order = 0)
	static class TransactionOutside extends Beans {

	}

	static class Beans {

		@Bean
		InMemoryLockProvider provider() {
			return new InMemoryLockProvider();
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static LockAdvisor lockAdvisor(Environment environment, BeanFactory beanFactory) {
			LockAdvisor advisor = new LockAdvisor(environment, (name) -> LockOverrides.Change.NONE, beanFactory,
					() -> new LockTemplate(beanFactory.getBean(InMemoryLockProvider.class)));
			advisor.setOrder(Ordered.LOWEST_PRECEDENCE - 100);
			return advisor;
		}

		@Bean
		Database database() {
			return new Database(3);
		}

		@Bean
		Database otherDatabase() {
			return new Database(3);
		}

		@Bean
		@Primary
		DataSourceTransactionManager manager(Database database) {
			return new DataSourceTransactionManager(database.pool());
		}

		@Bean
		DataSourceTransactionManager otherManager(Database otherDatabase) {
			return new DataSourceTransactionManager(otherDatabase.pool());
		}

		@Bean
		Office office(Database database, Database otherDatabase) {
			return new Office(database, otherDatabase);
		}

	}

	static class Office {

		private final Database database;

		private final Database otherDatabase;

		Office(Database database, Database otherDatabase) {
			this.database = database;
			this.otherDatabase = otherDatabase;
		}

		@DistributedLock(name = "seat", key = "#id")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public void sellInANewTransaction(int id, Runnable inside) {
			this.database.insert(id);
			inside.run();
		}

		@DistributedLock(name = "item", key = "#id")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public void process(int id) {
			this.database.insert(id);
		}

		@DistributedLock(name = "seat", key = "#id")
		@Transactional(propagation = Propagation.NOT_SUPPORTED)
		public void sellWithoutTransaction(int id) {
			this.database.insert(id);
		}

		@DistributedLock(name = "seat", key = "#id")
		@Transactional("otherManager")
		public void sellElsewhere(int id) {
			this.otherDatabase.insert(id);
		}

		@DistributedLock(name = "seat", key = "#id")
		@Transactional
		public void sell(int id) {
			this.database.insert(id);
		}

		@DistributedLock(name = "seat", key = "#id")
		@Transactional
		public void sellAndBegin(int id, Runnable inside) {
			this.database.insert(id);
			inside.run();
		}

		@DistributedLock(name = "seat", key = "#id")
		@Transactional(propagation = Propagation.SUPPORTS)
		public void support(int id) {
			this.database.insert(id);
		}

		@DistributedLock(name = "seat", key = "#id")
		@Transactional(propagation = Propagation.NESTED)
		public void nest(int id) {
			this.database.insert(id);
		}

		@DistributedLock(name = "seat", key = "#id")
		@Transactional(propagation = Propagation.MANDATORY)
		public void mandate(int id) {
			this.database.insert(id);
		}

		@DistributedLock(name = "seat", key = "#id")
		public void plain(int id) {
			assertThat(LockContext.find(LockRequest.exclusive("seat").withKey(id))).isPresent();
		}

		@DistributedLock(name = "seat", keys = { "#from", "#to" })
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public void move(String from, String to) {
			assertThat(LockContext.held()).hasSize(2);
		}

	}

}

package io.interlock.jdbc.starter;

import java.time.Duration;

import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.DistributedSemaphore;
import io.interlock.annotation.ReadLock;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.LockContext;
import io.interlock.template.LockTemplate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests an application that has the starter and H2, and neither Curator nor ZooKeeper.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE,
		properties = { "interlock.jdbc.lease=30s", "management.endpoints.web.exposure.include=*" })
class BareJdbcApplicationTests {

	@Autowired
	private Stock stock;

	@Autowired
	private LockTemplate locks;

	@Autowired
	private JdbcClient client;

	@Autowired
	private TransactionOperations transactions;

	@Autowired
	@Qualifier("interlockQueueingLockProvider")
	private QueueingLockProvider queue;

	@ParameterizedTest
	@ValueSource(strings = { "org.apache.curator.framework.CuratorFramework", "org.apache.zookeeper.ZooKeeper",
			"io.interlock.zookeeper.ZooKeeperSession" })
	void hasNothingOfZooKeeper(String className) {
		assertThat(ClassUtils.isPresent(className, getClass().getClassLoader())).isFalse();
	}

	@Test
	void databaseIsTheDefault(@Autowired LeaseLockProvider provider) {
		assertThat(provider.capabilities().survivesFailOver()).isFalse();
	}

	@Test
	void annotatedMethodsRunUnderTheirLocks() {
		assertThat(this.stock.reserve("A-1")).isEqualTo("stock[A-1]");
		assertThat(this.stock.count("A-1")).isEqualTo("stock[A-1]");
		assertThat(this.stock.print()).isEqualTo("printers");
		assertThat(this.client.sql("SELECT COUNT(*) FROM interlock_lock WHERE lock_name = 'stock'")
			.query(Integer.class)
			.single()).isOne();
	}

	@Test
	void rollbackOfTheCallerChangesNothingAboutTheLock() {
		long first = this.transactions.execute((transaction) -> {
			transaction.setRollbackOnly();
			return this.locks.execute(LockRequest.exclusive("rollback"), (lock) -> lock.fencingToken());
		});
		long second = this.locks.execute(LockRequest.exclusive("rollback").withWaitTime(Duration.ofSeconds(30)),
				(lock) -> lock.fencingToken());
		assertThat(second).isGreaterThan(first);
	}

	@Test
	void queueOfThisInstanceIsInFront() {
		this.locks.executeWithoutResult(LockRequest.exclusive("front"),
				(lock) -> assertThat(this.queue.queues()).extracting((each) -> each.id().name()).contains("front"));
	}

	@SpringBootApplication
	static class BareJdbcApplication {

		@Bean
		Stock stock() {
			return new Stock();
		}

	}

	static class Stock {

		@DistributedLock(name = "stock", key = "#sku")
		String reserve(String sku) {
			return LockContext.current().id().toString();
		}

		@ReadLock(name = "stock", key = "#sku")
		String count(String sku) {
			return LockContext.current().id().toString();
		}

		@DistributedSemaphore(name = "printers", permits = "2")
		String print() {
			return LockContext.current().id().toString();
		}

	}

}

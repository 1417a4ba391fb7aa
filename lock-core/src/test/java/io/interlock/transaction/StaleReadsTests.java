package io.interlock.transaction;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import io.interlock.interceptor.LockAdvisor;
import io.interlock.interceptor.LockOverrides;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.LockTemplate;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for the warning of reads that may be older than the lock.
 */
@ExtendWith(OutputCaptureExtension.class)
class StaleReadsTests {

	private final LockTemplate locks = new LockTemplate(new InMemoryLockProvider());

	private final Office office = office();

	@ParameterizedTest
	@ValueSource(
			ints = { TransactionDefinition.ISOLATION_REPEATABLE_READ, TransactionDefinition.ISOLATION_SERIALIZABLE })
	void lockInsideATransactionWithASnapshotIsWarnedOfOnce(int isolation, CapturedOutput output) {
		inTransaction(isolation, () -> {
			this.office.sell(1);
			this.office.sell(2);
		});
		assertThat(output.getOut()).containsOnlyOnce("takes lock 'seat' inside a transaction of "
				+ ((isolation == TransactionDefinition.ISOLATION_SERIALIZABLE) ? "SERIALIZABLE" : "REPEATABLE_READ"));
	}

	@Test
	void defaultOfTheDatabaseIsAskedOnce(CapturedOutput output) {
		AtomicInteger asked = new AtomicInteger();
		inDefaultTransaction(Connection.TRANSACTION_REPEATABLE_READ, asked, () -> {
			this.office.sell(1);
			this.office.sell(2);
			this.locks.executeWithoutResult(LockRequest.exclusive("order"), (lock) -> {
			});
		});
		assertThat(output.getOut()).containsOnlyOnce("Office.sell(int) takes lock 'seat' inside a transaction of "
				+ "REPEATABLE_READ, the default of its database: what it reads may be older than the lock");
		assertThat(asked).hasValue(1);
	}

	@Test
	void defaultWithoutASnapshotIsRight(CapturedOutput output) {
		AtomicInteger asked = new AtomicInteger();
		inDefaultTransaction(Connection.TRANSACTION_READ_COMMITTED, asked, () -> {
			this.office.sell(1);
			this.office.sell(2);
		});
		assertThat(output).doesNotContain("older than the lock");
		assertThat(asked).hasValue(1);
	}

	@Test
	void lockInCodeIsWarnedOfOnceForEachMethod(CapturedOutput output) {
		for (Runnable inCode : List.<Runnable>of(this::sellInCode, this::tryInCode, this::sellAllInCode)) {
			inDefaultTransaction(Connection.TRANSACTION_REPEATABLE_READ, new AtomicInteger(), inCode);
		}
		assertThat(output.getOut()).containsOnlyOnce("StaleReadsTests.sellInCode() takes lock 'seat' inside")
			.containsOnlyOnce("StaleReadsTests.tryInCode() takes lock 'seat' inside")
			.containsOnlyOnce("StaleReadsTests.sellAllInCode() takes lock 'order' inside");
	}

	@Test
	void annotatedMethodIsToldOfOnce(CapturedOutput output) {
		inTransaction(TransactionDefinition.ISOLATION_REPEATABLE_READ, () -> this.office.sell(1));
		assertThat(output.getOut()).containsOnlyOnce("older than the lock");
	}

	private void sellInCode() {
		this.locks.executeWithoutResult(LockRequest.exclusive("seat"), (lock) -> {
		});
	}

	private void tryInCode() {
		assertThat(this.locks.tryExecute(LockRequest.exclusive("seat"), (lock) -> "sold").acquired()).isTrue();
	}

	private void sellAllInCode() {
		this.locks.executeAll(List.of(LockRequest.exclusive("seat"), LockRequest.exclusive("order")),
				(locks) -> "sold");
	}

	@Test
	void openSessionOfJpaIsWarnedOf(CapturedOutput output) {
		EntityManagerFactory factory = mock();
		TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(mock()));
		try {
			this.office.sell(1);
		}
		finally {
			TransactionSynchronizationManager.unbindResource(factory);
		}
		assertThat(output).contains("Office.sell(int) takes lock 'seat' inside an open session of JPA");
	}

	@Test
	void lockThatComesFirstIsRight(CapturedOutput output) {
		this.office.sell(1);
		inTransaction(TransactionDefinition.ISOLATION_READ_COMMITTED, () -> this.office.sell(1));
		this.locks.executeWithoutResult(LockRequest.exclusive("order"),
				(lock) -> inTransaction(TransactionDefinition.ISOLATION_REPEATABLE_READ, () -> this.office.sell(1)));
		assertThat(output).doesNotContain("older than the lock");
	}

	private static void inTransaction(int isolation, Runnable action) {
		try (Database database = new Database(1)) {
			TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(database.pool()));
			transaction.setIsolationLevel(isolation);
			transaction.executeWithoutResult((status) -> action.run());
		}
	}

	private static void inDefaultTransaction(int isolation, AtomicInteger asked, Runnable action) {
		try (Database database = new Database(1)) {
			TransactionTemplate transaction = new TransactionTemplate(
					new JdbcTransactionManager(new DelegatingDataSource(database.pool()) {

						@Override
						public Connection getConnection() throws SQLException {
							return answering(super.getConnection(), isolation, asked);
						}

					}));
			transaction.executeWithoutResult((status) -> action.run());
			transaction.executeWithoutResult((status) -> action.run());
		}
	}

	private static Connection answering(Connection connection, int isolation, AtomicInteger asked) {
		return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, args) -> {
					if (method.getName().equals("getTransactionIsolation")) {
						asked.incrementAndGet();
						return isolation;
					}
					return ReflectionUtils.invokeMethod(method, connection, args);
				});
	}

	private Office office() {
		ProxyFactory factory = new ProxyFactory(new Office());
		factory.addAdvisor(
				new LockAdvisor(new MockEnvironment(), (name) -> LockOverrides.Change.NONE, null, () -> this.locks));
		return (Office) factory.getProxy();
	}

	static class Office {

		@DistributedLock(name = "seat", key = "#id")
		public void sell(int id) {
		}

	}

}

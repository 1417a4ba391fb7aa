package io.interlock.transaction;

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
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

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

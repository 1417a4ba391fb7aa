package io.interlock.test.example;

import io.interlock.test.AutoConfigureTestLocks;
import io.interlock.test.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StockService} in the transaction of a test.
 */
@SpringBootTest
@AutoConfigureTestLocks
@Transactional
class TransactionalStockServiceTests {

	@Autowired
	private StockService stock;

	@Autowired
	private TestLocks locks;

	@MockitoBean
	private Warehouse warehouse;

	@Test
	void keepsTheLockUntilTheTransactionOfTheTestEnds() {
		this.stock.reserve("A-1", 2);
		assertThat(this.locks).holds("stock", "A-1");
	}

	@Test
	@Transactional(propagation = Propagation.NOT_SUPPORTED)
	void releasesTheLockWithoutATransactionOfTheTest() {
		this.stock.reserve("A-1", 2);
		assertThat(this.locks).acquired("stock", "A-1").holdsNothing();
	}

	@TestConfiguration
	static class Transactions {

		@Bean
		PlatformTransactionManager transactionManager() {
			return new TransactionsWithoutResources();
		}

	}

	private static final class TransactionsWithoutResources extends AbstractPlatformTransactionManager {

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

	}

}

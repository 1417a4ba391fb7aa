package io.interlock.transaction;

import java.util.List;

import io.interlock.LockHandle;
import io.interlock.annotation.DistributedLock;
import io.interlock.fencing.JdbcFence;
import io.interlock.template.LockContext;
import io.interlock.zookeeper.GuardedTransaction;
import org.apache.curator.framework.CuratorFramework;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * The examples of the page on transactions and fencing.
 */
final class TransactionsAndFencingExamples {

	private TransactionsAndFencingExamples() {
	}

	static class BoxOffice {

		private final JdbcFence fence;

		BoxOffice(JdbcFence fence) {
			this.fence = fence;
		}

		@DistributedLock(name = "seat", key = "#id")
		@Transactional
		public void sell(int id, String customer) {
			this.fence.sql(LockContext.current(), """
					UPDATE seat SET sold_to = :customer, fence = :fence
					WHERE id = :id AND (fence IS NULL OR fence <= :fence)""")
				.param("customer", customer)
				.param("id", id)
				.update();
		}

	}

	static class Batch {

		private final JdbcClient client;

		Batch(JdbcClient client) {
			this.client = client;
		}

		@DistributedLock(name = "item", key = "#id")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public void process(int id) {
			this.client.sql("UPDATE item SET processed = TRUE WHERE id = :id").param("id", id).update();
		}

	}

	static class ConfigWriter {

		private final CuratorFramework client;

		ConfigWriter(CuratorFramework client) {
			this.client = client;
		}

		void write(LockHandle lock, byte[] config) throws Exception {
			GuardedTransaction.commit(this.client, lock,
					List.of(this.client.transactionOp().setData().forPath("/config", config)));
		}

	}

}

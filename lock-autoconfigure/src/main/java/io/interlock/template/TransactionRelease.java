package io.interlock.template;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Keeps a lock that was acquired inside a transaction until that transaction has
 * completed.
 */
final class TransactionRelease {

	private static final boolean TRANSACTIONS_PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronization",
			TransactionRelease.class.getClassLoader());

	private TransactionRelease() {
	}

	/**
	 * Return whether this thread is inside a transaction whose end can be observed and
	 * that does not keep the hold already.
	 * @param hold the hold
	 * @return whether to keep it beyond its body
	 */
	static boolean isWanted(Hold hold) {
		return TRANSACTIONS_PRESENT && TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.getSynchronizations()
					.stream()
					.noneMatch((other) -> other instanceof Synchronization that && that.handle().hold() == hold);
	}

	/**
	 * Close a handle after the transaction of this thread.
	 * @param handle keeps the hold open
	 */
	static void closeAfterTransaction(HoldHandle handle) {
		TransactionSynchronizationManager.registerSynchronization(new Synchronization(handle));
	}

	private record Synchronization(HoldHandle handle) implements TransactionSynchronization {

		// The connection is still out of its pool here, so the release is only started.
		@Override
		public void afterCompletion(int status) {
			this.handle.closeAsync();
		}

	}

}

package io.interlock.template;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction that the calling thread is in.
 */
final class OpenTransaction {

	private OpenTransaction() {
	}

	/**
	 * Return whether there is a transaction whose end can be observed and that does not
	 * keep the hold already.
	 */
	static boolean isToKeep(Hold hold) {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.getSynchronizations()
					.stream()
					.noneMatch((other) -> other instanceof Closing closing && closing.handle().hold() == hold);
	}

	static void closeAfterCompletion(HoldHandle handle) {
		TransactionSynchronizationManager.registerSynchronization(new Closing(handle));
	}

	private record Closing(HoldHandle handle) implements TransactionSynchronization {

		// The connection is still out of its pool here, so the release is only started.
		@Override
		public void afterCompletion(int status) {
			this.handle.closeAsync();
		}

	}

}

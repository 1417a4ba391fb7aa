package io.interlock.template;

import io.interlock.LockRequest;
import io.interlock.ReleasePolicy;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Decides whether a lock outlives its body because of an open transaction. Works without
 * Spring's transactions on the class path, because only {@link OpenTransaction} needs
 * them.
 */
final class TransactionRelease {

	private static final boolean TRANSACTIONS_PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronization",
			TransactionRelease.class.getClassLoader());

	private TransactionRelease() {
	}

	/**
	 * Keep a hold until the transaction of this thread has completed, if there is one and
	 * the request wants it. The hold counts its caller.
	 */
	static void keep(Hold hold, LockRequest request) {
		if (TRANSACTIONS_PRESENT && request.release() == ReleasePolicy.AFTER_TRANSACTION
				&& OpenTransaction.isToKeep(hold) && hold.join()) {
			OpenTransaction.closeAfterCompletion(HoldHandle.keep(hold, request));
		}
	}

	/**
	 * The transaction of the calling thread, with the handle to close after its
	 * completion.
	 */
	private record OpenTransaction(HoldHandle handle) implements TransactionSynchronization {

		/**
		 * Return whether there is a transaction whose end can be observed and that does
		 * not keep the hold already.
		 */
		static boolean isToKeep(Hold hold) {
			return TransactionSynchronizationManager.isSynchronizationActive()
					&& TransactionSynchronizationManager.isActualTransactionActive()
					&& TransactionSynchronizationManager.getSynchronizations()
						.stream()
						.noneMatch((other) -> other instanceof OpenTransaction open && open.handle.hold() == hold);
		}

		static void closeAfterCompletion(HoldHandle handle) {
			try {
				TransactionSynchronizationManager.registerSynchronization(new OpenTransaction(handle));
			}
			catch (RuntimeException | Error ex) {
				handle.giveBack();
				throw ex;
			}
		}

		// The connection is still out of its pool here, so the release is only started.
		@Override
		public void afterCompletion(int status) {
			this.handle.closeWithoutWaiting();
		}

	}

}

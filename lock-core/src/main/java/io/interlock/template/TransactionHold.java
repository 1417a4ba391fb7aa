package io.interlock.template;

import io.interlock.LockRequest;
import io.interlock.ReleasePolicy;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Lets an open transaction keep a lock beyond its body. Only the nested type needs
 * Spring's transactions on the class path.
 */
final class TransactionHold {

	private static final boolean TRANSACTIONS_PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronization",
			TransactionHold.class.getClassLoader());

	private TransactionHold() {
	}

	static void begin(Hold hold, LockRequest request) {
		if (TRANSACTIONS_PRESENT && request.release() == ReleasePolicy.AFTER_TRANSACTION && OpenTransaction.lacks(hold)
				&& hold.join()) {
			OpenTransaction.closeAfterCompletion(HoldHandle.forTransaction(hold, request));
		}
	}

	private record OpenTransaction(HoldHandle handle) implements TransactionSynchronization {

		static boolean lacks(Hold hold) {
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

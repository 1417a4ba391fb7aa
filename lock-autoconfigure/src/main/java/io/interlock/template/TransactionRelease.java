package io.interlock.template;

import io.interlock.LockRequest;
import io.interlock.Release;

import org.springframework.util.ClassUtils;

/**
 * Decides whether a lock outlives its body because of an open transaction. Works without
 * Spring's transactions on the class path: only {@link OpenTransaction} needs them.
 */
final class TransactionRelease {

	private static final boolean TRANSACTIONS_PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronization",
			TransactionRelease.class.getClassLoader());

	private TransactionRelease() {
	}

	/**
	 * Keep a hold until the transaction of this thread has completed, if there is one and
	 * the request wants it.
	 * @param hold the hold, which counts its caller
	 * @param request what the caller asked for
	 */
	static void keep(Hold hold, LockRequest request) {
		if (TRANSACTIONS_PRESENT && request.release() == Release.AFTER_TRANSACTION && OpenTransaction.isToKeep(hold)
				&& hold.join()) {
			OpenTransaction.closeAfterCompletion(HoldHandle.keep(hold, request));
		}
	}

}

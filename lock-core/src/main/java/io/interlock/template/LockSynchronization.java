package io.interlock.template;

import org.springframework.transaction.support.TransactionSynchronization;

/**
 * A synchronization of a transaction that is told of locks which are acquired inside of
 * it, and which it keeps until it has completed.
 *
 * @since 0.1.0
 */
public interface LockSynchronization extends TransactionSynchronization {

	/**
	 * The transaction keeps further {@linkplain LockContext#held() locks of its thread}
	 * from now on. Called before their body begins; what is thrown is thrown by the
	 * acquisition, and the transaction goes on to keep the locks.
	 */
	void locksKept();

	/**
	 * A lock that the transaction keeps already is acquired again. Called before its body
	 * begins; what is thrown is thrown by the acquisition.
	 */
	default void lockAcquiredAgain() {
	}

}

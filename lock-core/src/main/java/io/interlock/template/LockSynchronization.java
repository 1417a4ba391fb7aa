package io.interlock.template;

import java.util.Collection;

import io.interlock.LockHandle;

import org.springframework.transaction.support.TransactionSynchronization;

/**
 * A transaction synchronization that is notified of locks that are acquired inside the
 * transaction and kept until it has completed.
 *
 * @since 0.1.0
 */
public interface LockSynchronization extends TransactionSynchronization {

	/**
	 * The transaction keeps further {@linkplain LockContext#held() locks of its thread}
	 * from now on. Called before their body begins. An exception fails the acquisition,
	 * and the transaction still keeps the locks.
	 * @param locks those that it did not keep before
	 */
	void locksKept(Collection<? extends LockHandle> locks);

	/**
	 * A lock that the transaction already keeps is acquired again. Called before its body
	 * begins. An exception fails the acquisition.
	 */
	default void lockAcquiredAgain() {
	}

}

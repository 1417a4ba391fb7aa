package io.interlock;

/**
 * When a lock is released that was acquired inside a transaction.
 *
 * @since 0.1.0
 */
public enum ReleasePolicy {

	/**
	 * After the transaction that was open when the lock was acquired has committed or
	 * rolled back, so that the next holder sees its outcome. Without an open transaction
	 * the lock is released when the body has ended.
	 */
	AFTER_TRANSACTION,

	/** When the body has ended, whatever the state of the transaction. */
	AFTER_METHOD

}

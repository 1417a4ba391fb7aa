package io.interlock;

/**
 * When to release a lock that was acquired inside a transaction.
 *
 * @since 0.1.0
 */
public enum ReleasePolicy {

	/**
	 * After the commit or rollback of the transaction that was open at the acquisition,
	 * so that the next holder sees its outcome; without one, at the end of the body.
	 */
	AFTER_TRANSACTION,

	/** At the end of the body, whatever the state of the transaction. */
	AFTER_METHOD

}

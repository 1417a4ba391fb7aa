package io.interlock.transaction;

/**
 * How a transaction makes sure before its commit that the locks of its thread are still
 * held.
 *
 * @since 0.1.0
 */
public enum CommitVerification {

	/** Commit whatever the state of the locks. */
	NONE,

	/**
	 * Commit without any I/O when the locks are known to be held, and ask the servers
	 * only about one whose connection is suspended.
	 */
	LOCAL,

	/**
	 * Ask a quorum of the servers about each lock before each commit. Costs a quorum
	 * write for each.
	 */
	QUORUM

}

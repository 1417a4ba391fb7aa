package io.interlock.transaction;

/**
 * How a transaction verifies the locks of its thread before its commit.
 *
 * @since 0.1.0
 */
public enum CommitVerification {

	/** Commit whatever the state of the locks. */
	NONE,

	/**
	 * Ask the servers about locks that are not held for certain, such as those on a
	 * suspended connection. Without such locks, commit without any I/O.
	 */
	LOCAL,

	/** Ask a quorum of the servers about each lock, at the cost of a write for each. */
	QUORUM

}

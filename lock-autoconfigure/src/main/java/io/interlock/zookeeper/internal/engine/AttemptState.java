package io.interlock.zookeeper.internal.engine;

/**
 * What an attempt is at.
 */
enum AttemptState {

	/** Waits for a connection. */
	CONNECTING,

	/** Reads whether the lock is held, before a try writes anything. */
	PROBING,

	/** Creation and listing are under way. */
	CREATING,

	/** Looks at the queue, or waits for a connection to do so. */
	LOOKING,

	/** Watches the node before its own. */
	QUEUED,

	/** First in the queue, and the lease is not good. */
	CONFIRMING,

	/** The outcome is decided. */
	ENDED

}

package io.interlock.autoconfigure.store;

/**
 * Where locks come from: the values of {@code interlock.provider}.
 *
 * @since 0.1.0
 */
public enum Provider {

	/** ZooKeeper, for all instances of an application. */
	ZOOKEEPER,

	/** A relational database, for all instances of an application. */
	JDBC,

	/** Redis, for all instances of an application. */
	REDIS,

	/** The memory of this JVM, for one application context. */
	MEMORY,

	/** Nowhere: every lock is granted at once, and nothing is excluded. */
	NONE

}

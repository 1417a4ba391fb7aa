package io.interlock.benchmark.contestant;

import java.util.function.Function;

/**
 * Who takes part.
 *
 * @since 0.1.0
 */
public enum Contestant {

	/**
	 * Interlock through its template, as it is by default.
	 */
	INTERLOCK("Interlock, queue on", TemplateLocks::queued),

	/**
	 * Interlock through its template, each thread in the queue of ZooKeeper.
	 */
	INTERLOCK_UNQUEUED("Interlock, queue off", TemplateLocks::unqueued),

	/**
	 * Interlock in a Spring Boot application: annotated methods, metrics on.
	 */
	INTERLOCK_ANNOTATED("Interlock, annotated, metrics on", AnnotatedLocks::new),

	/**
	 * Curator, one mutex for each key, kept and shared by the threads.
	 */
	CURATOR_SHARED("Curator, one mutex per key", SharedMutexes::new),

	/**
	 * Curator, a mutex of its own for each call.
	 */
	CURATOR_PER_CALL("Curator, one mutex per call", MutexPerCall::new),

	/**
	 * Spring Integration's lock registry.
	 */
	SPRING_INTEGRATION("Spring Integration registry", RegistryLocks::new),

	/**
	 * Curator, one read/write lock for each key, kept and shared by the threads.
	 */
	CURATOR_READ_WRITE_SHARED("Curator, one read/write lock per key", SharedReadWriteLocks::new),

	/**
	 * Curator, a read/write lock of its own for each call.
	 */
	CURATOR_READ_WRITE_PER_CALL("Curator, one read/write lock per call", ReadWriteLockPerCall::new);

	private final String title;

	private final Function<String, Locks> connector;

	Contestant(String title, Function<String, Locks> connector) {
		this.title = title;
		this.connector = connector;
	}

	/**
	 * Return what tables call it.
	 * @return the title
	 */
	public String title() {
		return this.title;
	}

	/**
	 * Connect with a client of its own.
	 * @param connectString where to connect
	 * @return the locks, connected
	 */
	public Locks connect(String connectString) {
		return this.connector.apply(connectString);
	}

}

package io.interlock.benchmark.contestant;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;

import io.interlock.benchmark.store.Store;
import org.jspecify.annotations.Nullable;

/**
 * A way of locking that is measured.
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
	 * Interlock through the template, on the queue of an application that keeps idle
	 * locks.
	 */
	INTERLOCK_LINGER("Interlock, linger on",
			(connectString) -> TemplateLocks.of(AnnotatedApplication.connect(connectString, Linger.PROPERTIES))),

	/**
	 * Interlock in a Spring Boot application that keeps idle locks: annotated methods,
	 * metrics on.
	 */
	INTERLOCK_ANNOTATED_LINGER("Interlock, linger on, annotated, metrics on",
			(connectString) -> new AnnotatedLocks(connectString, Linger.PROPERTIES)),

	/**
	 * Curator, one mutex for each key, kept and shared by the threads.
	 */
	CURATOR_SHARED("Curator, one mutex per key", SharedMutexes::new),

	/**
	 * Curator, a mutex of its own for each call.
	 */
	CURATOR_PER_CALL("Curator, one mutex per call", MutexPerCall::new),

	/**
	 * No lock, but the two writes without which there is none.
	 */
	BARE_NODES("a bare node, created and deleted", BareNodes::new),

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
	CURATOR_READ_WRITE_PER_CALL("Curator, one read/write lock per call", ReadWriteLockPerCall::new),

	/**
	 * Interlock on one ZooKeeper server, beside other stores.
	 */
	INTERLOCK_ON_ZOOKEEPER("Interlock on ZooKeeper", Store.ZOOKEEPER,
			(address, lease) -> TemplateLocks.of(StoreApplication.onZooKeeper(address, lease))),

	/**
	 * Interlock on three ZooKeeper servers, beside other stores.
	 */
	INTERLOCK_ON_ENSEMBLE("Interlock on three ZooKeeper servers", Store.ENSEMBLE,
			(address, lease) -> TemplateLocks.of(StoreApplication.onZooKeeper(address, lease))),

	/**
	 * Interlock on PostgreSQL.
	 */
	INTERLOCK_ON_POSTGRESQL("Interlock on PostgreSQL", Store.POSTGRESQL,
			(address, lease) -> TemplateLocks.of(StoreApplication.onPostgres(address, lease))),

	/**
	 * ShedLock on PostgreSQL.
	 */
	SHEDLOCK("ShedLock on PostgreSQL, polled", Store.POSTGRESQL, ShedLocks::new),

	/**
	 * Spring Integration's lock registry on PostgreSQL.
	 */
	SPRING_INTEGRATION_JDBC("Spring Integration on PostgreSQL", Store.POSTGRESQL, JdbcRegistryLocks::new),

	/**
	 * Interlock on Redis.
	 */
	INTERLOCK_ON_REDIS("Interlock on Redis", Store.REDIS,
			(address, lease) -> TemplateLocks.of(StoreApplication.onRedis(address, lease))),

	/**
	 * Spring Integration's lock registry on Redis.
	 */
	SPRING_INTEGRATION_REDIS("Spring Integration on Redis", Store.REDIS, RedisRegistryLocks::new),

	/**
	 * Redisson.
	 */
	REDISSON("Redisson on Redis", Store.REDIS, RedissonLocks::new);

	private final String title;

	private final @Nullable Store store;

	private final Connector connector;

	Contestant(String title, Function<String, Locks> connector) {
		this(title, null, (address, lease) -> connector.apply(address));
	}

	Contestant(String title, @Nullable Store store, Connector connector) {
		this.title = title;
		this.store = store;
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
	 * Return the store whose server it uses.
	 * @return the store, or {@code null} for the server that all other scenarios use
	 */
	public @Nullable Store store() {
		return this.store;
	}

	/**
	 * Return what it is compared with.
	 * @return Interlock on the same store
	 */
	public Contestant reference() {
		return Arrays.stream(values()).filter((contestant) -> contestant.store == this.store).findFirst().orElseThrow();
	}

	/**
	 * Connect with a client of its own.
	 * @param address where to connect
	 * @return the locks, connected
	 */
	public Locks connect(String address) {
		return this.connector.connect(address, null);
	}

	/**
	 * Connect with a client of its own whose locks are free some time after it was
	 * killed.
	 * @param address where to connect
	 * @param lease that time: what the contestant calls lease, session timeout or time to
	 * live
	 * @return the locks, connected
	 */
	public Locks connect(String address, Duration lease) {
		return this.connector.connect(address, lease);
	}

	/**
	 * Connects to a store.
	 */
	private interface Connector {

		/**
		 * Connect.
		 * @param address where to connect
		 * @param lease after which time locks of a client that was killed are free, or
		 * {@code null} for the default
		 * @return the locks, connected
		 */
		Locks connect(String address, @Nullable Duration lease);

	}

	/**
	 * Keeps idle locks for longer than any measurement pauses.
	 */
	private static final class Linger {

		static final Map<String, Object> PROPERTIES = Map.of("interlock.queue.linger", "10s");

	}

}

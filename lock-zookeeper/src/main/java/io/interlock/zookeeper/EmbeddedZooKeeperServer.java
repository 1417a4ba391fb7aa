package io.interlock.zookeeper;

/**
 * The ZooKeeper server inside this JVM, which can be stopped and started again: to see,
 * or to test, what callers are told during an outage. Inject it where
 * {@code interlock.zookeeper.embedded.enabled} is set. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface EmbeddedZooKeeperServer {

	/**
	 * {@return host and port, the same after each start}
	 */
	String connectString();

	/**
	 * {@return whether the server is started}
	 */
	boolean isRunning();

	/**
	 * Stop the server as an outage does. It keeps its data, and with it the sessions that
	 * do not expire in the meantime. Does nothing if it is stopped. Blocks for up to 10
	 * seconds.
	 */
	void stop();

	/**
	 * Start the server again, with its data and on its port. Does nothing if it is
	 * running. Blocks until it serves, for up to 30 seconds.
	 * @throws RuntimeException if it cannot run, for example because another process has
	 * taken the port
	 * @throws IllegalStateException if the application context is closed
	 */
	void start();

}

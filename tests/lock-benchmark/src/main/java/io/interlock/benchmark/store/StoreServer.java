package io.interlock.benchmark.store;

/**
 * The server of a store, or its servers, which can be killed and started again. For one
 * thread.
 *
 * @since 0.1.0
 */
public interface StoreServer extends AutoCloseable {

	/**
	 * Return where a client connects that is to survive a fail-over.
	 * @return the address, in the form that clients of this store expect
	 */
	String address();

	/**
	 * Return where one of several clients connects that are measured.
	 * @param number number of the client, from 1 on
	 * @return the address
	 */
	default String address(int number) {
		return address();
	}

	/**
	 * Kill the server; of several servers, the one that leads.
	 */
	void kill();

	/**
	 * Start the killed server, unless another one takes over, and wait until clients are
	 * served.
	 */
	void recover();

	/**
	 * Return what is known of the server.
	 * @return name and version
	 */
	String describe();

	@Override
	void close();

}

package io.interlock.benchmark.store;

import io.interlock.testsupport.server.Server;

/**
 * The server of a store, or its servers, which can be killed and started again. For one
 * thread.
 *
 * @since 0.1.0
 */
public interface StoreServer extends AutoCloseable {

	/**
	 * Return a ZooKeeper server that runs already.
	 * @param server the server
	 * @return the same server
	 */
	static StoreServer of(Server server) {
		return new OneZooKeeper(server);
	}

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
	 * Return how many requests were received so far: packets of ZooKeeper, transactions
	 * of PostgreSQL, which are counted when their client has closed its connection, and
	 * reads of Redis.
	 * @return the number of requests
	 */
	long requests();

	/**
	 * Return how much is stored: nodes of ZooKeeper, rows of the tables of Interlock,
	 * keys of Redis.
	 * @return the number of entries
	 */
	long entries();

	/**
	 * Return what is known of the server.
	 * @return name and version
	 */
	String describe();

	@Override
	void close();

}

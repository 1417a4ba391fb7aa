package io.interlock.zookeeper.internal.session;

/**
 * The client was closed, so nothing will be answered any more.
 *
 * @since 0.1.0
 */
public final class ClientClosedException extends RuntimeException {

	public ClientClosedException() {
		super("The ZooKeeper client is closed");
	}

}

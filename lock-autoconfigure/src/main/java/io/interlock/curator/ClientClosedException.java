package io.interlock.curator;

/**
 * The client was closed, so nothing will be answered any more.
 */
final class ClientClosedException extends RuntimeException {

	ClientClosedException() {
		super("The ZooKeeper client is closed");
	}

}

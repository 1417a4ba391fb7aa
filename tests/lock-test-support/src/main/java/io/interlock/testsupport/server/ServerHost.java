package io.interlock.testsupport.server;

import java.util.List;

/**
 * Where a server of an {@link Ensemble} runs. Immutable.
 *
 * @param address name or address at which clients and other servers reach it
 * @param prefix a command that runs the one behind it there, in place of itself; empty
 * for the host of this process
 * @since 0.1.0
 */
public record ServerHost(String address, List<String> prefix) {

	static final ServerHost LOOPBACK = new ServerHost("127.0.0.1", List.of());

	/**
	 * Create a host.
	 * @param address name or address
	 * @param prefix a command, or nothing
	 */
	public ServerHost {
		prefix = List.copyOf(prefix);
	}

}

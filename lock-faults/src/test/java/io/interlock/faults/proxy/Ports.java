package io.interlock.faults.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports that a server can leave and come back to: below the range from which the system
 * takes ports for outgoing connections.
 */
public final class Ports {

	private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

	private Ports() {
	}

	/**
	 * Pick a port that is free and was not given before.
	 * @return the port
	 */
	public static int free() {
		while (true) {
			int port = ThreadLocalRandom.current().nextInt(15000, 31000);
			if (GIVEN.add(port) && isFree(port)) {
				return port;
			}
		}
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = listen(port)) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
		}
	}

	static ServerSocket listen(int port) throws IOException {
		ServerSocket socket = new ServerSocket();
		socket.setReuseAddress(true);
		socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
		return socket;
	}

}

package io.interlock.testsupport.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports that a server can leave and come back to: below the range from which the system
 * takes ports for outgoing connections. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class Ports {

	private static final int MIN = 15000;

	private static final int MAX = 31000;

	/**
	 * What keeps other JVMs off the ports that were given here, also while no server
	 * listens there: the ports of the same numbers for UDP, which nothing else uses.
	 */
	private static final Set<DatagramSocket> CLAIMS = ConcurrentHashMap.newKeySet();

	private Ports() {
	}

	/**
	 * Pick a port that is free and was not given before, here or in another JVM that
	 * runs.
	 * @return a port on the loopback interface
	 */
	public static int free() {
		try (ServerSocket socket = listen()) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static ServerSocket listen() {
		while (true) {
			int port = ThreadLocalRandom.current().nextInt(MIN, MAX);
			if (claim(port)) {
				try {
					return listen(port);
				}
				catch (IOException ex) {
					// In use: try another.
				}
			}
		}
	}

	private static boolean claim(int port) {
		try {
			CLAIMS.add(new DatagramSocket(port, InetAddress.getLoopbackAddress()));
			return true;
		}
		catch (BindException ex) {
			// Given already.
			return false;
		}
		catch (SocketException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static ServerSocket listen(int port) throws IOException {
		ServerSocket socket = new ServerSocket();
		try {
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
			return socket;
		}
		catch (IOException ex) {
			socket.close();
			throw ex;
		}
	}

}

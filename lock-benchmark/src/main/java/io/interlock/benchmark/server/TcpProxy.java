package io.interlock.benchmark.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands between clients and a server, makes the way longer and counts the requests. Safe
 * for use by many threads.
 *
 * @since 0.1.0
 */
public final class TcpProxy implements AutoCloseable {

	private final ServerSocket listener;

	private final int target;

	private final Duration delay;

	private final AtomicLong requests = new AtomicLong();

	private final AtomicLong writes = new AtomicLong();

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	/**
	 * Start a proxy.
	 * @param target port on the loopback interface to connect to
	 * @param roundTrip how much longer a round trip takes, half of it in each direction
	 */
	public TcpProxy(int target, Duration roundTrip) {
		this.target = target;
		this.delay = roundTrip.dividedBy(2);
		try {
			this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start(this::accept, "accept");
	}

	private void accept() {
		try {
			while (true) {
				Socket client = this.listener.accept();
				Socket server = new Socket(InetAddress.getLoopbackAddress(), this.target);
				this.sockets.add(client);
				this.sockets.add(server);
				client.setTcpNoDelay(true);
				server.setTcpNoDelay(true);
				RequestCounter counter = new RequestCounter(this.requests, this.writes);
				start(new Line(client, server, this.delay, counter::accept), "requests");
				start(new Line(server, client, this.delay, (bytes, count) -> {
				}), "replies");
			}
		}
		catch (IOException ex) {
			// Closed: no more connections.
		}
	}

	static void start(Runnable task, String name) {
		Thread thread = new Thread(task, "proxy-" + name);
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * Return where to connect.
	 * @return host and port
	 */
	public String connectString() {
		return "127.0.0.1:" + this.listener.getLocalPort();
	}

	/**
	 * Return how many requests passed, pings not counted.
	 * @return the number of round trips of clients that wait for each answer
	 */
	public long requests() {
		return this.requests.get();
	}

	/**
	 * Return how many of the requests a quorum had to write.
	 * @return the number
	 */
	public long writes() {
		return this.writes.get();
	}

	@Override
	public void close() {
		try {
			this.listener.close();
			for (Socket socket : this.sockets) {
				socket.close();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

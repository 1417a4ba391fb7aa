package io.interlock.testsupport.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that sends back what it gets, and more when it is told to.
 */
final class EchoServer implements AutoCloseable {

	private final ServerSocket listener;

	private final AtomicInteger received = new AtomicInteger();

	private final Set<Socket> clients = ConcurrentHashMap.newKeySet();

	EchoServer() {
		try {
			this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		start(this::accept);
	}

	int port() {
		return this.listener.getLocalPort();
	}

	int received() {
		return this.received.get();
	}

	/**
	 * Send a byte to all clients, which did not ask for it.
	 */
	void say(int value) throws IOException {
		for (Socket client : this.clients) {
			client.getOutputStream().write(value);
		}
	}

	private void accept() {
		try {
			while (true) {
				Socket socket = this.listener.accept();
				this.clients.add(socket);
				start(() -> echo(socket));
			}
		}
		catch (IOException ex) {
			// Closed.
		}
	}

	private void echo(Socket socket) {
		try (socket) {
			InputStream in = socket.getInputStream();
			for (int next = in.read(); next >= 0; next = in.read()) {
				this.received.incrementAndGet();
				socket.getOutputStream().write(next);
			}
		}
		catch (IOException ex) {
			// Broken by the proxy.
		}
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "echo");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		this.listener.close();
	}

}

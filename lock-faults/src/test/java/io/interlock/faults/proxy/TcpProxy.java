package io.interlock.faults.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * One side of a link between a client and a server, which keeps its port whatever it is
 * told to do. Safe for use by many threads.
 */
public final class TcpProxy implements AutoCloseable {

	private final int port = Ports.free();

	private final int target;

	private final Gate requests = new Gate();

	private final Gate replies = new Gate();

	private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

	private @Nullable ServerSocket listener;

	/**
	 * Start a proxy that lets everything pass.
	 * @param target port on the loopback interface to connect to
	 */
	public TcpProxy(int target) {
		this.target = target;
		listen();
	}

	/**
	 * Return where to connect.
	 * @return a port on the loopback interface
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Return where to connect.
	 * @return host and port
	 */
	public String address() {
		return "127.0.0.1:" + this.port;
	}

	/**
	 * Return whether a client is connected.
	 * @return whether there is a connection
	 */
	public boolean isInUse() {
		return !this.connections.isEmpty();
	}

	/**
	 * End whatever else was asked for; bytes that were held up arrive now.
	 */
	public void pass() {
		delay(Duration.ZERO);
	}

	/**
	 * Let everything pass, later.
	 * @param delay how much later, in each direction
	 */
	public void delay(Duration delay) {
		this.requests.open(delay.toMillis());
		this.replies.open(delay.toMillis());
		listen();
	}

	/**
	 * Keep the connections, and let nothing arrive any more. New connections seem to be
	 * accepted and get no answer.
	 */
	public void blackHole() {
		this.requests.shut();
		this.replies.shut();
	}

	/**
	 * Let requests pass, and no reply.
	 */
	public void dropReplies() {
		this.replies.shut();
	}

	/**
	 * Let replies pass, and no request.
	 */
	public void dropRequests() {
		this.requests.shut();
	}

	/**
	 * Break the connections and refuse new ones.
	 */
	public synchronized void refuse() {
		ServerSocket socket = this.listener;
		this.listener = null;
		if (socket != null) {
			closeQuietly(socket);
		}
		reset();
	}

	/**
	 * Break the connections; new ones are accepted.
	 */
	public void reset() {
		this.connections.forEach(Connection::close);
	}

	private synchronized void listen() {
		if (this.listener != null) {
			return;
		}
		try {
			ServerSocket socket = Ports.listen(this.port);
			this.listener = socket;
			start(() -> accept(socket), "accept-" + this.port);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void accept(ServerSocket socket) {
		try {
			while (true) {
				Connection connection = new Connection(socket.accept());
				this.connections.add(connection);
				start(connection::forwardRequests, "requests-" + this.port);
			}
		}
		catch (IOException ex) {
			// Closed: no more connections.
		}
	}

	private static Thread start(Runnable task, String name) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	private static void closeQuietly(AutoCloseable closeable) {
		try {
			closeable.close();
		}
		catch (Exception ex) {
			// It is closed, or as good as.
		}
	}

	@Override
	public void close() {
		refuse();
	}

	/**
	 * A connection and its two threads, one a direction.
	 */
	private final class Connection {

		private final Socket client;

		private @Nullable Socket server;

		private volatile @Nullable Thread requestThread;

		private volatile @Nullable Thread replyThread;

		private volatile boolean closed;

		Connection(Socket client) {
			this.client = client;
		}

		void forwardRequests() {
			this.requestThread = Thread.currentThread();
			try {
				TcpProxy.this.requests.pass();
				Socket socket = new Socket(InetAddress.getLoopbackAddress(), TcpProxy.this.target);
				this.server = socket;
				socket.setTcpNoDelay(true);
				this.client.setTcpNoDelay(true);
				this.replyThread = start(() -> forward(socket, this.client, TcpProxy.this.replies),
						"replies-" + TcpProxy.this.port);
				forward(this.client, socket, TcpProxy.this.requests);
			}
			catch (IOException | InterruptedException ex) {
				close();
			}
		}

		private void forward(Socket from, Socket to, Gate gate) {
			byte[] buffer = new byte[16384];
			try {
				while (!this.closed) {
					int count = from.getInputStream().read(buffer);
					gate.pass();
					if (count < 0) {
						break;
					}
					to.getOutputStream().write(buffer, 0, count);
				}
			}
			catch (IOException | InterruptedException ex) {
				// Broken on one side: break the other.
			}
			close();
		}

		void close() {
			this.closed = true;
			TcpProxy.this.connections.remove(this);
			interrupt(this.requestThread);
			interrupt(this.replyThread);
			abort(this.client);
			abort(this.server);
		}

		private void interrupt(@Nullable Thread thread) {
			if (thread != null && thread != Thread.currentThread()) {
				thread.interrupt();
			}
		}

		private void abort(@Nullable Socket socket) {
			if (socket != null) {
				try {
					socket.setSoLinger(true, 0);
				}
				catch (IOException ex) {
					// Closed already.
				}
				closeQuietly(socket);
			}
		}

	}

}

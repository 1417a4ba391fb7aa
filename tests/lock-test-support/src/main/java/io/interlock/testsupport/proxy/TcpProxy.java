package io.interlock.testsupport.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A line between clients and a server on this machine that fails on demand. It keeps its
 * port whatever it is told to do and while the server restarts. Safe for use by many
 * threads.
 * <p>
 * Faults last until {@link #heal()}, and one does not end another. A server that is not
 * there looks as it does without a proxy but for one thing: the connection is closed as
 * soon as it is made.
 *
 * @since 0.1.0
 */
public sealed class TcpProxy implements AutoCloseable permits ZooKeeperProxy {

	private final int port;

	private final Function<Runnable, Conversation> conversations;

	private final Gate toServer = new Gate();

	private final Gate toClient = new Gate();

	private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();

	private volatile int serverPort;

	private @Nullable ServerSocket listener;

	private CompletableFuture<Void> accepting = CompletableFuture.completedFuture(null);

	/**
	 * Start a proxy.
	 * @param serverPort port of the server on the loopback interface
	 * @param conversations what cuts the bytes of a connection into pieces, made with
	 * what breaks that connection
	 */
	TcpProxy(int serverPort, Function<Runnable, Conversation> conversations) {
		this.serverPort = serverPort;
		this.conversations = conversations;
		ServerSocket socket = Ports.listen();
		this.port = socket.getLocalPort();
		accept(socket);
	}

	/**
	 * Start a proxy that lets everything pass.
	 * @param serverPort port of the server on the loopback interface
	 * @return the proxy, which listens on a port of its own choice
	 */
	public static TcpProxy to(int serverPort) {
		return new TcpProxy(serverPort, (cut) -> new RawConversation());
	}

	/**
	 * Return where clients connect.
	 * @return a port on the loopback interface
	 */
	public final int port() {
		return this.port;
	}

	/**
	 * Return where clients connect.
	 * @return host and port
	 */
	public final String connectString() {
		return "127.0.0.1:" + this.port;
	}

	/**
	 * Return whether a client is connected.
	 * @return whether there is a connection
	 */
	public final boolean isInUse() {
		return this.connections.stream().anyMatch(ProxiedConnection::isOpen);
	}

	/**
	 * Return how many pieces of traffic are held or delayed now.
	 * @return the number, at most one for each connection and direction
	 */
	public final int held() {
		return this.toServer.held() + this.toClient.held();
	}

	/**
	 * Send new connections to another server.
	 * @param serverPort its port on the loopback interface
	 */
	public final void redirect(int serverPort) {
		this.serverPort = serverPort;
	}

	/**
	 * Reset all connections. New ones are accepted.
	 */
	public final void cut() {
		// Not all at once: a client that comes back meanwhile has a connection to be cut.
		for (ProxiedConnection connection : this.connections) {
			connection.close();
			this.connections.remove(connection);
		}
	}

	/**
	 * Reset all connections and refuse new ones, like a machine on which no server runs.
	 */
	public final void refuse() {
		closeListener();
		cut();
	}

	/**
	 * Let nothing through in either direction. Connections stay, and new ones seem to be
	 * accepted; what is sent arrives when the line is healed.
	 */
	public final void blackHole() {
		holdRequests();
		holdReplies();
	}

	/**
	 * Let nothing through to the clients. The server hears them, and its replies are
	 * held.
	 */
	public final void holdReplies() {
		this.toClient.shut();
	}

	/**
	 * Let nothing through to the server. The clients hear it, and their requests are
	 * held.
	 */
	public final void holdRequests() {
		this.toServer.shut();
	}

	/**
	 * Delay everything, so that a round trip takes twice as long as one delay.
	 * @param delay the delay in each direction
	 */
	public final void delay(Duration delay) {
		delayRequests(delay);
		delayReplies(delay);
	}

	/**
	 * Delay what clients send, and nothing that they get.
	 * @param delay the delay
	 */
	public final void delayRequests(Duration delay) {
		this.toServer.delay(delay);
	}

	/**
	 * Delay what clients get, and nothing that they send.
	 * @param delay the delay
	 */
	public final void delayReplies(Duration delay) {
		this.toClient.delay(delay);
	}

	/**
	 * End all faults: what is held passes, and connections are accepted again.
	 */
	public void heal() {
		delay(Duration.ZERO);
		this.toServer.open();
		this.toClient.open();
		listen();
	}

	private synchronized void listen() {
		if (this.listener == null) {
			try {
				accept(Ports.listen(this.port));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	private synchronized void accept(ServerSocket socket) {
		this.listener = socket;
		this.accepting = CompletableFuture.runAsync(() -> acceptUntilClosed(socket), this::startThread);
	}

	private void startThread(Runnable task) {
		Thread thread = new Thread(task, "proxy-" + this.port);
		thread.setDaemon(true);
		thread.start();
	}

	private void acceptUntilClosed(ServerSocket socket) {
		try {
			while (true) {
				ProxiedConnection connection = connect(socket.accept());
				if (socket.isClosed()) {
					connection.close();
				}
			}
		}
		catch (IOException ex) {
			// Refused from now on.
		}
	}

	private ProxiedConnection connect(Socket client) {
		ProxiedConnection connection = new ProxiedConnection(client, this.serverPort, this.toServer, this.toClient,
				this.conversations);
		this.connections.removeIf((each) -> !each.isOpen());
		this.connections.add(connection);
		connection.start();
		return connection;
	}

	/**
	 * Close the listener and wait for its thread: while that thread is still in its
	 * system call, the kernel goes on completing handshakes on the closed port.
	 */
	private synchronized void closeListener() {
		ServerSocket socket = this.listener;
		this.listener = null;
		if (socket != null) {
			try {
				socket.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			this.accepting.join();
		}
	}

	@Override
	public final void close() {
		refuse();
	}

}

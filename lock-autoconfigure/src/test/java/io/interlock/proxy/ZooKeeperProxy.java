package io.interlock.proxy;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * Stands between clients and one ZooKeeper server on this machine, counts what they ask,
 * and breaks the line between them. Its port stays the same while the server restarts and
 * while it refuses connections itself. Safe for use by many threads.
 * <p>
 * A server that is not there looks the same through the proxy: the connection is closed
 * as soon as it is made.
 */
public final class ZooKeeperProxy implements Closeable {

	private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

	private static final int BACKLOG = 50;

	private final int port;

	private final Traffic traffic = new Traffic();

	private final Gate toServer = new Gate();

	private final Gate toClient = new Gate();

	private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();

	private volatile int serverPort;

	private volatile @Nullable ServerSocket listening;

	private ZooKeeperProxy(int serverPort, ServerSocket listening) {
		this.serverPort = serverPort;
		this.port = listening.getLocalPort();
		accept(listening);
	}

	/**
	 * Start a proxy.
	 * @param serverPort port of the server on the loopback interface
	 * @return the proxy, which listens on a port of its own choice
	 */
	public static ZooKeeperProxy to(int serverPort) {
		return new ZooKeeperProxy(serverPort, listen(0));
	}

	/**
	 * Return where clients connect to.
	 * @return host and port
	 */
	public String connectString() {
		return LOOPBACK.getHostAddress() + ":" + this.port;
	}

	/**
	 * Send new connections to another server.
	 * @param serverPort its port on the loopback interface
	 */
	public void redirect(int serverPort) {
		this.serverPort = serverPort;
	}

	/**
	 * Return the requests that were read since the start or since they were forgotten,
	 * oldest first, without pings and the beats of the lease.
	 * @return the requests
	 */
	public List<Operation> requests() {
		return this.traffic.requests((operation) -> !operation.isBackground());
	}

	/**
	 * Return how often something was asked.
	 * @param operation what
	 * @return the number of requests since the start or since they were forgotten
	 */
	public long count(Operation operation) {
		return this.traffic.requests((each) -> each == operation).size();
	}

	/**
	 * Forget the requests that were read.
	 */
	public void forget() {
		this.traffic.forget();
	}

	/**
	 * Close all connections. New ones are accepted.
	 */
	public void cut() {
		this.connections.forEach(ProxiedConnection::close);
		this.connections.clear();
	}

	/**
	 * Close all connections and refuse new ones, like a machine on which no server runs.
	 */
	public void refuse() {
		closeListener();
		cut();
	}

	/**
	 * Let nothing through in either direction. Connections stay and new ones are
	 * accepted; what is sent arrives after {@link #heal()} on those that live.
	 */
	public void blackHole() {
		this.toServer.set(false);
		this.toClient.set(false);
	}

	/**
	 * Let nothing through to the clients: servers hear them and their answers are held.
	 */
	public void holdReplies() {
		this.toClient.set(false);
	}

	/**
	 * Let nothing through to the server.
	 */
	public void holdRequests() {
		this.toServer.set(false);
	}

	/**
	 * Return how many packets are about to pass and held back now, at most one for each
	 * connection and direction.
	 * @return the number of packets
	 */
	public int held() {
		return this.toServer.held() + this.toClient.held();
	}

	/**
	 * Delay every packet, so that a round trip takes twice as long.
	 * @param delay how long
	 */
	public void delay(Duration delay) {
		this.toServer.delay(delay);
		this.toClient.delay(delay);
	}

	/**
	 * Have the next request of a type executed, lose its reply, and close the connection
	 * with it.
	 * @param operation the type
	 */
	public void loseNextReply(Operation operation) {
		this.traffic.loseNextReply(operation);
	}

	/**
	 * Run an action when the next reply of a type was read from the server and before it
	 * is passed on. It holds up the replies of its connection.
	 * @param operation the type
	 * @param action what to do
	 */
	public void onNextReply(Operation operation, Runnable action) {
		this.traffic.onNextReply(operation, action);
	}

	/**
	 * End all faults: what is held passes, and connections are accepted again.
	 */
	public void heal() {
		this.traffic.heal();
		delay(Duration.ZERO);
		this.toServer.set(true);
		this.toClient.set(true);
		if (this.listening == null) {
			accept(listen(this.port));
		}
	}

	@Override
	public void close() {
		refuse();
	}

	private static ServerSocket listen(int port) {
		try {
			ServerSocket socket = new ServerSocket();
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress(LOOPBACK, port), BACKLOG);
			return socket;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void accept(ServerSocket socket) {
		this.listening = socket;
		Thread thread = new Thread(() -> acceptUntilClosed(socket), "zookeeper-proxy-" + this.port);
		thread.setDaemon(true);
		thread.start();
	}

	private void acceptUntilClosed(ServerSocket socket) {
		while (!socket.isClosed()) {
			try {
				connect(socket, socket.accept());
			}
			catch (IOException ex) {
				// Refused by the server, or this proxy refuses now.
			}
		}
	}

	private void connect(ServerSocket socket, Socket client) throws IOException {
		try {
			Socket server = new Socket(LOOPBACK, this.serverPort);
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
			ProxiedConnection connection = new ProxiedConnection(client, server, this.traffic, this.toServer,
					this.toClient);
			this.connections.removeIf((each) -> !each.isOpen());
			this.connections.add(connection);
			connection.start();
			if (socket.isClosed()) {
				connection.close();
			}
		}
		catch (IOException ex) {
			client.close();
			throw ex;
		}
	}

	private void closeListener() {
		ServerSocket socket = this.listening;
		this.listening = null;
		if (socket != null) {
			try {
				socket.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

}

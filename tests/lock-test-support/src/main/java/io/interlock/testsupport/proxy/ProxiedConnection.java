package io.interlock.testsupport.proxy;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * One connection of a client, and the one to the server behind it.
 * <p>
 * Each direction has a thread that reads and one that writes, so that a delay shifts what
 * passes without making the line narrower. Everything passes the gate of its direction in
 * the order in which it was read, the end of the stream included: while a gate is shut,
 * one side does not notice that the other is gone.
 */
final class ProxiedConnection {

	private final Socket client;

	private final int serverPort;

	private final Gate toServer;

	private final Gate toClient;

	private final Conversation conversation;

	private final List<Thread> threads = new CopyOnWriteArrayList<>();

	private volatile @Nullable Socket server;

	private volatile boolean closed;

	ProxiedConnection(Socket client, int serverPort, Gate toServer, Gate toClient,
			Function<Runnable, Conversation> conversations) {
		this.client = client;
		this.serverPort = serverPort;
		this.toServer = toServer;
		this.toClient = toClient;
		this.conversation = conversations.apply(this::close);
	}

	void start() {
		BlockingQueue<Piece> requests = new LinkedBlockingQueue<>();
		long acceptedAt = System.nanoTime();
		start("requests-in", () -> read(this.client, this.conversation::readRequest, requests));
		start("requests-out", () -> write(requests, this.toServer, connect(acceptedAt)));
	}

	/**
	 * Connect to the server, which does not hear of the client before the gate lets it.
	 */
	private Socket connect(long acceptedAt) throws IOException, InterruptedException {
		try {
			this.toServer.pass(acceptedAt);
			Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.serverPort);
			this.server = socket;
			if (this.closed) {
				abort(socket);
			}
			socket.setTcpNoDelay(true);
			this.client.setTcpNoDelay(true);
			BlockingQueue<Piece> replies = new LinkedBlockingQueue<>();
			start("replies-in", () -> read(socket, this.conversation::readReply, replies));
			start("replies-out", () -> write(replies, this.toClient, this.client));
			return socket;
		}
		catch (IOException ex) {
			close();
			throw ex;
		}
	}

	private static void read(Socket from, Reader reader, BlockingQueue<Piece> pieces) throws IOException {
		try {
			InputStream in = new BufferedInputStream(from.getInputStream());
			for (byte[] bytes = reader.read(in); bytes.length > 0; bytes = reader.read(in)) {
				pieces.add(new Piece(bytes, System.nanoTime()));
			}
		}
		finally {
			pieces.add(new Piece(Conversation.END, System.nanoTime()));
		}
	}

	private static void write(BlockingQueue<Piece> pieces, Gate gate, Socket to)
			throws IOException, InterruptedException {
		while (true) {
			Piece piece = pieces.take();
			gate.pass(piece.readAt());
			if (piece.isEnd()) {
				break;
			}
			to.getOutputStream().write(piece.bytes());
		}
		to.close();
	}

	private void start(String name, Pump pump) {
		Thread thread = new Thread(() -> {
			try {
				pump.run();
			}
			catch (IOException | InterruptedException ex) {
				// The connection has ended.
			}
		}, "proxy-" + name);
		thread.setDaemon(true);
		this.threads.add(thread);
		thread.start();
	}

	boolean isOpen() {
		return !this.client.isClosed();
	}

	/**
	 * Reset both sides at once. What is held is dropped.
	 */
	void close() {
		this.closed = true;
		abort(this.client);
		abort(this.server);
		this.threads.stream().filter((thread) -> thread != Thread.currentThread()).forEach(Thread::interrupt);
	}

	private static void abort(@Nullable Socket socket) {
		if (socket == null) {
			return;
		}
		try {
			socket.setSoLinger(true, 0);
		}
		catch (IOException ex) {
			// It is closed already.
		}
		try {
			socket.close();
		}
		catch (IOException ex) {
			// It is closed then, too.
		}
	}

	private interface Pump {

		void run() throws IOException, InterruptedException;

	}

	private interface Reader {

		byte[] read(InputStream from) throws IOException;

	}

	/**
	 * What passes at a time.
	 *
	 * @param bytes the bytes, none for the end of the stream
	 * @param readAt when it was read, as {@link System#nanoTime()} tells it
	 */
	private record Piece(byte[] bytes, long readAt) {

		boolean isEnd() {
			return this.bytes.length == 0;
		}

	}

}

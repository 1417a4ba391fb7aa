package io.interlock.proxy;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * One connection of a client, and the one to the server behind it. Each direction has a
 * thread that reads and one that writes, so that a delay does not add up.
 */
final class ProxiedConnection {

	private static final int SERVER_EVENT = -1;

	private static final Packet END = new Packet(new byte[0], 0);

	private final Socket client;

	private final Socket server;

	private final Traffic traffic;

	private final Map<Integer, Operation> unanswered = new ConcurrentHashMap<>();

	private final Thread[] threads;

	ProxiedConnection(Socket client, Socket server, Traffic traffic, Gate toServer, Gate toClient) {
		this.client = client;
		this.server = server;
		this.traffic = traffic;
		BlockingQueue<Packet> requests = new LinkedBlockingQueue<>();
		BlockingQueue<Packet> replies = new LinkedBlockingQueue<>();
		this.threads = new Thread[] { thread("requests-in", () -> readRequests(requests)),
				thread("requests-out", () -> write(requests, toServer, this.server)),
				thread("replies-in", () -> readReplies(replies)),
				thread("replies-out", () -> write(replies, toClient, this.client)) };
	}

	void start() {
		for (Thread thread : this.threads) {
			thread.start();
		}
	}

	boolean isOpen() {
		return !this.client.isClosed();
	}

	/**
	 * Close both sides at once. What is held back is dropped.
	 */
	void close() {
		for (Socket socket : new Socket[] { this.client, this.server }) {
			try {
				socket.close();
			}
			catch (IOException ex) {
				// It is closed then, too.
			}
		}
		for (Thread thread : this.threads) {
			thread.interrupt();
		}
	}

	/**
	 * Only the first message of a connection has no header.
	 */
	private void readRequests(BlockingQueue<Packet> requests) throws IOException {
		try (DataInputStream in = new DataInputStream(new BufferedInputStream(this.client.getInputStream()))) {
			this.traffic.requested(Operation.CONNECT);
			requests.add(Packet.read(in));
			while (true) {
				Packet packet = Packet.read(in);
				Operation operation = packet.operation();
				this.unanswered.put(packet.xid(), operation);
				this.traffic.requested(operation);
				requests.add(packet);
			}
		}
		finally {
			requests.add(END);
		}
	}

	private void readReplies(BlockingQueue<Packet> replies) throws IOException {
		try (DataInputStream in = new DataInputStream(new BufferedInputStream(this.server.getInputStream()))) {
			pass(Operation.CONNECT, Packet.read(in), replies);
			while (true) {
				Packet packet = Packet.read(in);
				Operation operation = (packet.xid() == SERVER_EVENT) ? Operation.WATCH_EVENT
						: this.unanswered.remove(packet.xid());
				pass((operation != null) ? operation : Operation.OTHER, packet, replies);
			}
		}
		finally {
			replies.add(END);
		}
	}

	private void pass(Operation operation, Packet packet, BlockingQueue<Packet> replies) throws IOException {
		if (!this.traffic.replied(operation)) {
			close();
			throw new IOException("The reply to " + operation + " is lost");
		}
		replies.add(packet);
	}

	private void write(BlockingQueue<Packet> packets, Gate gate, Socket target)
			throws IOException, InterruptedException {
		DataOutputStream out = new DataOutputStream(target.getOutputStream());
		for (Packet packet = packets.take(); packet != END; packet = packets.take()) {
			gate.pass(packet);
			byte[] framed = new byte[Integer.BYTES + packet.bytes().length];
			ByteBuffer.wrap(framed).putInt(packet.bytes().length).put(packet.bytes());
			out.write(framed);
		}
		gate.pass(END);
		target.close();
	}

	private Thread thread(String name, Pump pump) {
		Thread thread = new Thread(() -> {
			try {
				pump.run();
			}
			catch (IOException | InterruptedException ex) {
				// The connection has ended.
			}
		}, "zookeeper-proxy-" + name);
		thread.setDaemon(true);
		return thread;
	}

	private interface Pump {

		void run() throws IOException, InterruptedException;

	}

}

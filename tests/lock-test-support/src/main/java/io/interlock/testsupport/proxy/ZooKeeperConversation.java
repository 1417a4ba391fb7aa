package io.interlock.testsupport.proxy;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * ZooKeeper's protocol between a client and a server, a packet at a time. Relates each
 * reply to its request by the transaction id that both begin with.
 */
final class ZooKeeperConversation implements Conversation {

	private static final int WATCH_EVENT_ID = -1;

	private static final int MAX_LENGTH = 16 << 20;

	private final Traffic traffic;

	private final Runnable cut;

	private final Map<Integer, Operation> unanswered = new ConcurrentHashMap<>();

	private boolean requested;

	private boolean replied;

	/**
	 * Create a conversation.
	 * @param traffic what is told of each packet
	 * @param cut breaks the connection
	 */
	ZooKeeperConversation(Traffic traffic, Runnable cut) {
		this.traffic = traffic;
		this.cut = cut;
	}

	@Override
	public byte[] readRequest(InputStream from) throws IOException {
		byte[] packet = readPacket(from);
		if (packet != END) {
			this.traffic.requested(operationOfRequest(packet));
		}
		return packet;
	}

	/**
	 * Only the first packet of a connection has no header.
	 */
	private Operation operationOfRequest(byte[] packet) {
		if (!this.requested) {
			this.requested = true;
			return Operation.CONNECT;
		}
		Operation operation = Operation.of(intAt(packet, 2 * Integer.BYTES));
		this.unanswered.put(intAt(packet, Integer.BYTES), operation);
		return operation;
	}

	@Override
	public byte[] readReply(InputStream from) throws IOException {
		byte[] packet = readPacket(from);
		if (packet != END) {
			Operation operation = operationOfReply(packet);
			if (!this.traffic.replied(operation)) {
				this.cut.run();
				throw new IOException("The reply to " + operation + " is lost");
			}
		}
		return packet;
	}

	private Operation operationOfReply(byte[] packet) {
		if (!this.replied) {
			this.replied = true;
			return Operation.CONNECT;
		}
		int id = intAt(packet, Integer.BYTES);
		Operation operation = (id == WATCH_EVENT_ID) ? Operation.WATCH_EVENT : this.unanswered.remove(id);
		return (operation != null) ? operation : Operation.OTHER;
	}

	/**
	 * Read a packet.
	 * @return the packet, which begins with its length
	 */
	private static byte[] readPacket(InputStream from) throws IOException {
		DataInputStream in = new DataInputStream(from);
		try {
			int length = in.readInt();
			if (length < 0 || length > MAX_LENGTH) {
				throw new IOException("Not a packet of ZooKeeper: length " + length);
			}
			byte[] packet = new byte[Integer.BYTES + length];
			ByteBuffer.wrap(packet).putInt(length);
			in.readFully(packet, Integer.BYTES, length);
			return packet;
		}
		catch (EOFException ex) {
			return END;
		}
	}

	private static int intAt(byte[] packet, int index) {
		return (packet.length >= index + Integer.BYTES) ? ByteBuffer.wrap(packet).getInt(index) : 0;
	}

}

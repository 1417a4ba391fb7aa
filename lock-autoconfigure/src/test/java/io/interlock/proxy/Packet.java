package io.interlock.proxy;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One length-prefixed message of ZooKeeper's protocol.
 *
 * @param bytes the message without its length
 * @param readAt when it was read, as {@link System#nanoTime()}
 */
record Packet(byte[] bytes, long readAt) {

	private static final int MAX_LENGTH = 16 << 20;

	static Packet read(DataInputStream in) throws IOException {
		int length = in.readInt();
		if (length < 0 || length > MAX_LENGTH) {
			throw new IOException("Not a ZooKeeper message: length " + length);
		}
		byte[] bytes = new byte[length];
		in.readFully(bytes);
		return new Packet(bytes, System.nanoTime());
	}

	/**
	 * Return the transaction id, which relates a reply to its request. Some are special:
	 * -1 watch event, -2 ping, -4 authentication, -8 set watches.
	 * @return the id
	 */
	int xid() {
		return intAt(0);
	}

	/**
	 * Return the type of a request.
	 * @return the operation
	 */
	Operation operation() {
		return Operation.of(intAt(Integer.BYTES));
	}

	private int intAt(int index) {
		return (this.bytes.length >= index + Integer.BYTES) ? ByteBuffer.wrap(this.bytes).getInt(index) : 0;
	}

}

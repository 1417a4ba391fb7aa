package io.interlock.benchmark.server;

import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.zookeeper.ZooDefs.OpCode;

/**
 * Counts the requests of one connection in the bytes that a client sends. The first frame
 * opens the session; pings are not counted.
 */
final class RequestCounter {

	/** Bytes of a frame that are looked at: its length, the xid and the type. */
	private static final int HEAD = 12;

	private static final Set<Integer> WRITES = Set.of(OpCode.create, OpCode.delete, OpCode.setData, OpCode.create2,
			OpCode.createContainer, OpCode.deleteContainer, OpCode.createTTL, OpCode.multi, OpCode.setACL);

	private final AtomicLong requests;

	private final AtomicLong writes;

	private boolean opened;

	/** Bytes of the current frame so far, its length field included. */
	private int position;

	private int length;

	private int type;

	RequestCounter(AtomicLong requests, AtomicLong writes) {
		this.requests = requests;
		this.writes = writes;
	}

	void accept(byte[] bytes, int count) {
		for (int i = 0; i < count; i++) {
			accept(bytes[i] & 0xff);
		}
	}

	private void accept(int octet) {
		if (this.position < Integer.BYTES) {
			this.length = (this.length << Byte.SIZE) | octet;
		}
		else if (this.position >= HEAD - Integer.BYTES && this.position < HEAD) {
			this.type = (this.type << Byte.SIZE) | octet;
		}
		this.position++;
		if (this.position >= Integer.BYTES && this.position == this.length + Integer.BYTES) {
			frameEnded();
		}
	}

	private void frameEnded() {
		if (this.opened && this.type != OpCode.ping) {
			this.requests.incrementAndGet();
			if (WRITES.contains(this.type)) {
				this.writes.incrementAndGet();
			}
		}
		this.opened = true;
		this.position = 0;
		this.length = 0;
		this.type = 0;
	}

}

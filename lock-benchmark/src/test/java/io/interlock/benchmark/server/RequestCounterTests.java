package io.interlock.benchmark.server;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RequestCounter}.
 */
class RequestCounterTests {

	private final AtomicLong requests = new AtomicLong();

	private final AtomicLong writes = new AtomicLong();

	private final RequestCounter counter = new RequestCounter(this.requests, this.writes);

	@Test
	void countsRequestsAndWritesWithoutTheFirstFrameAndPings() {
		send(0, OpCode.getChildren2, OpCode.create2, OpCode.ping, OpCode.delete, OpCode.exists);
		assertThat(this.requests).hasValue(4);
		assertThat(this.writes).hasValue(2);
	}

	private void send(int... types) {
		ByteBuffer frames = ByteBuffer.allocate(types.length * 24);
		for (int type : types) {
			frames.putInt(20).putInt(1).putInt(type).put(new byte[12]);
		}
		for (byte octet : frames.array()) {
			this.counter.accept(new byte[] { octet }, 1);
		}
	}

}

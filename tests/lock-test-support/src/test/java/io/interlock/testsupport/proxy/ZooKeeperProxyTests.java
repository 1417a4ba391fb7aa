package io.interlock.testsupport.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;

import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ZooKeeperProxy} before a server that echoes, so that each request is
 * its own reply.
 */
class ZooKeeperProxyTests {

	private static final int FRAME = 24;

	private EchoServer server;

	private ZooKeeperProxy proxy;

	private Socket client;

	@BeforeEach
	void start() throws IOException {
		this.server = new EchoServer();
		this.proxy = ZooKeeperProxy.to(this.server.port());
		this.client = new Socket(InetAddress.getLoopbackAddress(), this.proxy.port());
	}

	@AfterEach
	void stop() throws IOException {
		this.client.close();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void countsRequestsAndWritesWithoutTheFirstFrameAndPings() throws IOException {
		send(0, OpCode.getChildren2, OpCode.create2, OpCode.ping, OpCode.delete, OpCode.exists);
		await().until(() -> this.proxy.count(Operation.EXISTS) == 1);
		assertThat(this.proxy.roundTrips()).isEqualTo(4);
		assertThat(this.proxy.writes()).isEqualTo(2);
		assertThat(this.proxy.requests()).containsExactly(Operation.CONNECT, Operation.GET_CHILDREN2, Operation.CREATE2,
				Operation.DELETE, Operation.EXISTS);
	}

	@Test
	void losesAReplyAndTheConnectionWithIt() throws IOException {
		this.proxy.loseNextReply(Operation.DELETE);
		send(0, OpCode.exists);
		this.client.getInputStream().readNBytes(2 * FRAME);
		send(OpCode.delete);
		assertThatIOException().isThrownBy(() -> this.client.getInputStream().read());
		assertThat(this.proxy.count(Operation.DELETE)).isEqualTo(1);
	}

	@Test
	void holdsRepliesUntilHealed() throws IOException {
		send(0);
		this.client.getInputStream().readNBytes(FRAME);
		this.proxy.holdReplies();
		send(OpCode.exists, OpCode.delete);
		await().until(() -> this.proxy.requests().size() == 3 && this.proxy.held() == 1);
		this.proxy.heal();
		assertThat(this.client.getInputStream().readNBytes(2 * FRAME)).hasSize(2 * FRAME);
	}

	private void send(int... types) throws IOException {
		ByteBuffer frames = ByteBuffer.allocate(types.length * FRAME);
		for (int type : types) {
			frames.putInt(FRAME - Integer.BYTES).putInt(1).putInt(type).put(new byte[12]);
		}
		for (byte octet : frames.array()) {
			this.client.getOutputStream().write(octet);
		}
	}

}

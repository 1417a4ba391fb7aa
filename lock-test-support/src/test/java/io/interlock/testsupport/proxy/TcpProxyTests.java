package io.interlock.testsupport.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests for {@link TcpProxy} before a server that echoes.
 */
class TcpProxyTests {

	private EchoServer server;

	private TcpProxy proxy;

	@BeforeEach
	void start() {
		this.server = new EchoServer();
		this.proxy = TcpProxy.to(this.server.port());
	}

	@AfterEach
	void stop() throws IOException {
		this.proxy.close();
		this.server.close();
	}

	@Test
	void letsBytesPass() throws IOException {
		try (Socket client = connect()) {
			client.getOutputStream().write(1);
			assertThat(client.getInputStream().read()).isEqualTo(1);
		}
	}

	@Test
	void deliversWhatTheBlackHoleHeldUp() throws IOException {
		try (Socket client = connect()) {
			client.getOutputStream().write(1);
			assertThat(client.getInputStream().read()).isEqualTo(1);
			this.proxy.blackHole();
			client.getOutputStream().write(2);
			client.setSoTimeout(500);
			assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> client.getInputStream().read());
			this.proxy.heal();
			client.setSoTimeout(5000);
			assertThat(client.getInputStream().read()).isEqualTo(2);
		}
	}

	@Test
	void refusesAndComesBackOnTheSamePort() throws IOException {
		for (int i = 0; i < 200; i++) {
			this.proxy.refuse();
			assertThatIOException().isThrownBy(() -> connect().close());
			this.proxy.heal();
			letsBytesPass();
		}
	}

	@Test
	void breaksConnections() throws IOException {
		try (Socket client = connect()) {
			client.getOutputStream().write(1);
			assertThat(client.getInputStream().read()).isEqualTo(1);
			this.proxy.cut();
			assertThatIOException().isThrownBy(() -> client.getInputStream().read());
		}
	}

	@Test
	void hidesTheEndOfAClientInTheBlackHole() throws IOException {
		try (Socket client = connect()) {
			client.getOutputStream().write(1);
			assertThat(client.getInputStream().read()).isEqualTo(1);
			this.proxy.blackHole();
			client.shutdownOutput();
			client.setSoTimeout(500);
			assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> client.getInputStream().read());
			assertThat(this.proxy.isInUse()).isTrue();
			this.proxy.heal();
			client.setSoTimeout(5000);
			assertThat(client.getInputStream().read()).isNegative();
		}
	}

	@Test
	void delaysBothDirectionsWithoutAddingUp() throws IOException {
		this.proxy.delay(Duration.ofMillis(50));
		try (Socket client = connect()) {
			long start = System.nanoTime();
			for (int i = 0; i < 20; i++) {
				client.getOutputStream().write(i);
			}
			client.getInputStream().readNBytes(20);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(95),
					Duration.ofMillis(1000));
		}
	}

	@Test
	void delaysOnlyWhatClientsSend() throws IOException {
		this.proxy.delayRequests(Duration.ofSeconds(1));
		try (Socket client = connect()) {
			assertThat(roundTrip(client, 0)).isBetween(Duration.ofMillis(995), Duration.ofMillis(1995));
		}
	}

	@Test
	void delaysOnlyWhatClientsGet() throws IOException {
		this.proxy.delayReplies(Duration.ofSeconds(1));
		try (Socket client = connect()) {
			assertThat(roundTrip(client, 1)).isBetween(Duration.ofMillis(995), Duration.ofMillis(1995));
		}
	}

	/**
	 * Send a byte and wait for it.
	 * @param received how many bytes the server has after half of the delay
	 */
	private Duration roundTrip(Socket client, int received) throws IOException {
		long start = System.nanoTime();
		client.getOutputStream().write(2);
		client.setSoTimeout(500);
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> client.getInputStream().read());
		assertThat(this.server.received()).isEqualTo(received);
		client.setSoTimeout(5000);
		assertThat(client.getInputStream().read()).isEqualTo(2);
		return Duration.ofNanos(System.nanoTime() - start);
	}

	private Socket connect() throws IOException {
		return new Socket(InetAddress.getLoopbackAddress(), this.proxy.port());
	}

}

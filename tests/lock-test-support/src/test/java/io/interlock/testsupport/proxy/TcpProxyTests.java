package io.interlock.testsupport.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

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
			client.setSoTimeout(20_000);
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
			client.setSoTimeout(20_000);
			assertThat(client.getInputStream().read()).isNegative();
		}
	}

	@Test
	void delaysBothDirectionsWithoutAddingUp() throws IOException {
		this.proxy.delay(Duration.ofMillis(100));
		try (Socket client = connect()) {
			long start = System.nanoTime();
			for (int i = 0; i < 100; i++) {
				client.getOutputStream().write(i);
			}
			client.getInputStream().readNBytes(100);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(195),
					Duration.ofMillis(5000));
		}
	}

	@Test
	void delaysOnlyWhatClientsSend() throws IOException {
		try (Socket client = greeted()) {
			this.proxy.delayRequests(Duration.ofHours(1));
			this.server.say(3);
			assertThat(client.getInputStream().read()).isEqualTo(3);
			assertThat(roundTrip(client, 1, this.proxy::delayRequests)).isGreaterThanOrEqualTo(Duration.ofMillis(195));
		}
	}

	@Test
	void delaysOnlyWhatClientsGet() throws IOException {
		try (Socket client = greeted()) {
			this.proxy.delayReplies(Duration.ofHours(1));
			assertThat(roundTrip(client, 2, this.proxy::delayReplies)).isGreaterThanOrEqualTo(Duration.ofMillis(195));
		}
	}

	/**
	 * Connect, and send a byte and get it back before anything is delayed.
	 */
	private Socket greeted() throws IOException {
		Socket client = connect();
		client.setSoTimeout(20_000);
		client.getOutputStream().write(1);
		assertThat(client.getInputStream().read()).isEqualTo(1);
		return client;
	}

	/**
	 * Send a byte that is delayed for an hour, and wait for it with a delay of 200 ms.
	 * @param received how many bytes the server gets before the delay is shortened
	 * @param delay changes the delay
	 */
	private Duration roundTrip(Socket client, int received, Consumer<Duration> delay) throws IOException {
		long start = System.nanoTime();
		client.getOutputStream().write(2);
		await().until(() -> this.proxy.held() == 1 && this.server.received() == received);
		delay.accept(Duration.ofMillis(200));
		assertThat(client.getInputStream().read()).isEqualTo(2);
		return Duration.ofNanos(System.nanoTime() - start);
	}

	private Socket connect() throws IOException {
		return new Socket(InetAddress.getLoopbackAddress(), this.proxy.port());
	}

}

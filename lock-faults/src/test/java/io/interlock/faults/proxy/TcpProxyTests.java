package io.interlock.faults.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;

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

	private ServerSocket server;

	private TcpProxy proxy;

	@BeforeEach
	void start() throws IOException {
		this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		Thread thread = new Thread(this::echo);
		thread.setDaemon(true);
		thread.start();
		this.proxy = new TcpProxy(this.server.getLocalPort());
	}

	@AfterEach
	void stop() throws IOException {
		this.proxy.close();
		this.server.close();
	}

	private void echo() {
		try {
			while (true) {
				Socket socket = this.server.accept();
				Thread thread = new Thread(() -> echo(socket));
				thread.setDaemon(true);
				thread.start();
			}
		}
		catch (IOException ex) {
			// Closed.
		}
	}

	private static void echo(Socket socket) {
		try (socket) {
			socket.getInputStream().transferTo(socket.getOutputStream());
		}
		catch (IOException ex) {
			// Broken by the proxy.
		}
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
			client.setSoTimeout(100);
			assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> client.getInputStream().read());
			this.proxy.pass();
			client.setSoTimeout(5000);
			assertThat(client.getInputStream().read()).isEqualTo(2);
		}
	}

	@Test
	void refusesAndComesBackOnTheSamePort() throws IOException {
		this.proxy.refuse();
		assertThatIOException().isThrownBy(() -> connect().close());
		this.proxy.pass();
		letsBytesPass();
	}

	@Test
	void breaksConnections() throws IOException {
		try (Socket client = connect()) {
			client.getOutputStream().write(1);
			assertThat(client.getInputStream().read()).isEqualTo(1);
			this.proxy.reset();
			assertThatIOException().isThrownBy(() -> client.getInputStream().read());
		}
	}

	private Socket connect() throws IOException {
		return new Socket(InetAddress.getLoopbackAddress(), this.proxy.port());
	}

}

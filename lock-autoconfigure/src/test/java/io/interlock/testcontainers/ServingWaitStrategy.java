package io.interlock.testcontainers;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

import org.awaitility.Awaitility;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;

/**
 * Waits until ZooKeeper answers {@code srvr} with its mode. An open port says nothing:
 * Docker opens it before the server runs.
 */
class ServingWaitStrategy extends AbstractWaitStrategy {

	private static final int READ_TIMEOUT_MILLIS = 2000;

	@Override
	protected void waitUntilReady() {
		String host = this.waitStrategyTarget.getHost();
		int port = this.waitStrategyTarget.getMappedPort(ZooKeeperContainer.PORT);
		Awaitility.await()
			.atMost(this.startupTimeout)
			.ignoreExceptionsInstanceOf(IOException.class)
			.until(() -> srvr(host, port).contains("Mode:"));
	}

	private static String srvr(String host, int port) throws IOException {
		try (Socket socket = new Socket(host, port)) {
			socket.setSoTimeout(READ_TIMEOUT_MILLIS);
			socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
		}
	}

}

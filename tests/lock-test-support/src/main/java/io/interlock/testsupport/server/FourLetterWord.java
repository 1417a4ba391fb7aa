package io.interlock.testsupport.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Asks a ZooKeeper server a question of four letters.
 *
 * @since 0.1.0
 */
public final class FourLetterWord {

	private static final int TIMEOUT_MILLIS = 5000;

	private FourLetterWord() {
	}

	/**
	 * Ask a server on the loopback interface.
	 * @param port client port of the server
	 * @param word the question, {@code srvr} for instance
	 * @return the answer, empty if none comes within five seconds
	 */
	public static String ask(int port, String word) {
		return ask(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), word);
	}

	/**
	 * Ask a server.
	 * @param address client address of the server
	 * @param word the question, {@code srvr} for instance
	 * @return the answer, empty if none comes within five seconds
	 */
	public static String ask(InetSocketAddress address, String word) {
		try (Socket socket = new Socket()) {
			socket.connect(address, TIMEOUT_MILLIS);
			socket.setSoTimeout(TIMEOUT_MILLIS);
			socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			return "";
		}
	}

}

package io.interlock.faults.worker;

import java.io.BufferedWriter;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

import io.interlock.faults.check.Outcome;
import org.apache.curator.framework.state.ConnectionState;

/**
 * Tells the witness what one thread does. Not for use by several threads.
 */
final class Report {

	private final BufferedWriter out;

	private final InputStream in;

	private String instance = "";

	Report(int port) {
		try {
			@SuppressWarnings("resource") // ends with the process
			Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
			socket.setTcpNoDelay(true);
			this.out = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8));
			this.in = socket.getInputStream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void speaksFor(String instance) {
		if (!this.instance.equals(instance)) {
			this.instance = instance;
			tell("I " + instance);
		}
	}

	void granted(String key, boolean shared, long token, long askedAt, long grantedAt) {
		tell("G %s %s %d %d %d".formatted(key, shared, token, askedAt, grantedAt));
		flush();
	}

	/**
	 * Speak of another one of the locks that the thread holds.
	 */
	void turnsTo(String key) {
		tell("H " + key);
	}

	void valid(long at) {
		tell("V " + at);
	}

	/**
	 * Read the resource that the lock guards.
	 * @return its value, or -1 if a later holder was there
	 */
	long read() {
		tell("Q");
		flush();
		try {
			StringBuilder value = new StringBuilder();
			for (int digit = this.in.read(); digit != '\n'; digit = this.in.read()) {
				if (digit < 0) {
					throw new EOFException();
				}
				value.append((char) digit);
			}
			return Long.parseLong(value.toString());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Write what follows a value that was read.
	 * @return whether it was accepted
	 */
	boolean write(long read) {
		tell("W " + read);
		flush();
		try {
			return this.in.read() == '+';
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void ended(long at, long lostAt) {
		tell("E %d %d".formatted(at, lostAt));
		flush();
	}

	void attempt(Outcome outcome, long answeredAt, long waitNanos, long elapsed, long stalled) {
		tell("A %s %d %d %d %d".formatted(outcome, answeredAt, waitNanos, elapsed, stalled));
		flush();
	}

	void reentered(long at) {
		tell("R " + at);
	}

	void connection(ConnectionState state, long at) {
		tell("C %s %d".formatted(state, at));
		flush();
	}

	void violation(String text) {
		tell("X " + text.replace('\n', ' '));
		flush();
	}

	private void tell(String line) {
		try {
			this.out.write(line);
			this.out.write('\n');
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void flush() {
		try {
			this.out.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}

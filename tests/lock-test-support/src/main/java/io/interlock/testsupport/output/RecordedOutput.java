package io.interlock.testsupport.output;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * The end of what was printed since it was last forgotten. Everything is passed on to the
 * stream that was there before. Safe for use by many threads.
 */
final class RecordedOutput extends OutputStream {

	private static final int MAX_BYTES = 64 * 1024;

	private final PrintStream next;

	private final ByteArrayOutputStream recorded = new ByteArrayOutputStream();

	RecordedOutput(PrintStream next) {
		this.next = next;
	}

	/**
	 * Record what this JVM prints from now on.
	 */
	static RecordedOutput ofThisJvm() {
		RecordedOutput output = new RecordedOutput(System.out);
		System.setOut(new PrintStream(output, true, Charset.defaultCharset()));
		return output;
	}

	@Override
	public void write(int b) {
		write(new byte[] { (byte) b }, 0, 1);
	}

	@Override
	public void write(byte[] bytes, int offset, int length) {
		synchronized (this.recorded) {
			if (this.recorded.size() + length > MAX_BYTES) {
				this.recorded.reset();
			}
			this.recorded.write(bytes, offset, Math.min(length, MAX_BYTES));
		}
		this.next.write(bytes, offset, length);
	}

	@Override
	public void flush() {
		this.next.flush();
	}

	void forget() {
		synchronized (this.recorded) {
			this.recorded.reset();
		}
	}

	String text() {
		synchronized (this.recorded) {
			return this.recorded.toString(StandardCharsets.UTF_8).strip();
		}
	}

}

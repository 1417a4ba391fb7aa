package io.interlock.faults.check;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for {@link Witness}.
 */
class WitnessTests {

	@Test
	void lostUpdateFailsTheRun() throws IOException {
		History history = new History();
		try (Witness witness = new Witness(history);
				Reporter first = new Reporter(witness, "first");
				Reporter second = new Reporter(witness, "second")) {
			first.grantedWithToken(7);
			second.grantedWithToken(7);
			String read = first.read();
			assertThat(second.read()).isEqualTo(read);
			assertThat(first.write(read)).isEqualTo('+');
			assertThat(history.violationsByWorkers()).isEmpty();
			assertThat(second.write(read)).isEqualTo('+');
			assertThat(history.violationsByWorkers()).singleElement()
				.satisfies((violation) -> assertThat(violation.toString()).contains("lost update")
					.contains("has written over another update"));
		}
	}

	@Test
	void writeOfAnEarlierHolderIsRefused() throws IOException {
		History history = new History();
		try (Witness witness = new Witness(history);
				Reporter first = new Reporter(witness, "first");
				Reporter second = new Reporter(witness, "second")) {
			first.grantedWithToken(7);
			String read = first.read();
			second.grantedWithToken(8);
			assertThat(second.write(second.read())).isEqualTo('+');
			assertThat(first.write(read)).isEqualTo('-');
			assertThat(history.violationsByWorkers()).isEmpty();
		}
	}

	@Test
	void threadSpeaksOfOneOfItsLocks() throws IOException {
		History history = new History();
		try (Witness witness = new Witness(history); Reporter thread = new Reporter(witness, "thread")) {
			thread.say("G first false 1 0 5");
			thread.say("G second false 2 0 5");
			thread.say("H first");
			thread.say("V 7");
			thread.read();
			assertThat(history.holds()).extracting(ObservedHold::key, ObservedHold::wasValid)
				.containsExactly(tuple("first", true), tuple("second", false));
		}
	}

	/**
	 * Reports as one thread of a worker does.
	 */
	private static final class Reporter implements AutoCloseable {

		private final Socket socket;

		private final BufferedReader answers;

		Reporter(Witness witness, String instance) throws IOException {
			this.socket = new Socket(InetAddress.getLoopbackAddress(), witness.port());
			this.socket.setSoTimeout(30_000);
			this.answers = new BufferedReader(
					new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8));
			say("I " + instance);
		}

		void grantedWithToken(long token) throws IOException {
			say("G seats false %d 0 0".formatted(token));
		}

		String read() throws IOException {
			say("Q");
			return this.answers.readLine();
		}

		/**
		 * Write what follows a value that was read.
		 * @return {@code +} if the resource has accepted it, {@code -} if not
		 */
		char write(String read) throws IOException {
			say("W " + read);
			return (char) this.answers.read();
		}

		private void say(String line) throws IOException {
			this.socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
		}

		@Override
		public void close() throws IOException {
			this.socket.close();
		}

	}

}

package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WriteWindow}.
 */
class WriteWindowTests {

	private static final int SAMPLES = 8;

	private static final int PERIOD = 10_000;

	private final Deque<Long> underWay = new ArrayDeque<>();

	private long now;

	private final WriteWindow window = WriteWindow.measured(() -> this.now);

	private void send() {
		this.underWay.add(this.now);
		this.window.sent(this.underWay.size());
	}

	/** Answer the oldest write after a round trip. */
	private void answer(Duration roundTrip) {
		this.now = Math.max(this.now, this.underWay.remove() + roundTrip.toNanos());
		this.window.answered();
	}

	private void measure(Duration roundTrip, int writes) {
		for (int i = 0; i < writes; i++) {
			send();
			answer(roundTrip);
		}
	}

	@ParameterizedTest
	@CsvSource({ "50, 4", "390, 4", "400, 5", "800, 10", "1280, 16", "80000, 16" })
	void followsTheRoundTrip(long micros, int allowed) {
		measure(Duration.ofNanos(micros * 1000), SAMPLES);
		assertThat(this.window.allowed()).isEqualTo(allowed);
	}

	@Test
	void takesTheShortestOfSeveralRoundTrips() {
		measure(Duration.ofMillis(5), SAMPLES - 1);
		assertThat(this.window.allowed()).as("before it is measured").isEqualTo(WriteWindow.MOST);
		measure(Duration.ofNanos(500_000), 1);
		assertThat(this.window.allowed()).isEqualTo(6);
		measure(Duration.ofMillis(5), SAMPLES);
		assertThat(this.window.allowed()).isEqualTo(16);
	}

	@Test
	void measuresToTheAnswerOfTheWriteItself() {
		for (int i = 0; i < SAMPLES; i++) {
			this.underWay.add(this.now);
			send();
			answer(Duration.ofNanos(100_000));
			answer(Duration.ofNanos(720_000));
		}
		assertThat(this.window.allowed()).isEqualTo(9);
	}

	/** What waits at a busy server would let more wait. */
	@Test
	void doesNotMeasureBehindMany() {
		measure(Duration.ofNanos(400_000), SAMPLES);
		for (int i = 0; i < WriteWindow.LEAST; i++) {
			this.underWay.add(this.now);
		}
		for (int i = 0; i < 2 * SAMPLES; i++) {
			send();
			answer(Duration.ofMillis(20));
		}
		assertThat(this.window.allowed()).isEqualTo(5);
	}

	@Test
	void measuresAgainAfterManyWrites() {
		measure(Duration.ofMillis(4), SAMPLES);
		for (int i = 0; i < WriteWindow.LEAST; i++) {
			this.underWay.add(this.now);
		}
		for (int i = 1; i < PERIOD; i++) {
			send();
			answer(Duration.ofMillis(4));
		}
		assertThat(this.window.allowed()).isEqualTo(16);
		send();
		answer(Duration.ofMillis(4));
		assertThat(this.window.allowed()).isEqualTo(WriteWindow.LEAST);
		this.underWay.clear();
		measure(Duration.ofNanos(640_000), SAMPLES);
		assertThat(this.window.allowed()).isEqualTo(8);
		measure(Duration.ofNanos(640_000), PERIOD);
		assertThat(this.window.allowed()).isEqualTo(8);
	}

	@Test
	void isOfOneSizeIfThatIsSet() {
		WriteWindow one = WriteWindow.fixed(1);
		for (int i = 0; i < 2 * PERIOD; i++) {
			one.sent(1);
			one.answered();
		}
		assertThat(one.allowed()).isEqualTo(1);
	}

}

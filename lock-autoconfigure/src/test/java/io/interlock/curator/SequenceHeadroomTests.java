package io.interlock.curator;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SequenceHeadroom}.
 */
class SequenceHeadroomTests {

	private final SequenceHeadroom headroom = new SequenceHeadroom();

	private long now = System.nanoTime();

	@Test
	void everythingIsLeftAtFirst() {
		assertThat(left()).isEqualTo(Integer.MAX_VALUE);
	}

	@Test
	void lockWithTheFewestNumbersCounts() {
		note(1000);
		note(17);
		assertThat(left()).isEqualTo(Integer.MAX_VALUE - 1000);
	}

	@Test
	void nothingIsLeftAfterTheEndOfThePositiveNumbers() {
		note(Integer.MIN_VALUE);
		assertThat(left()).isZero();
	}

	@Test
	void lockIsRememberedForTenMinutesAndForgottenAfterTwenty() {
		note(1000);
		pass(11);
		note(5);
		assertThat(left()).isEqualTo(Integer.MAX_VALUE - 1000);
		pass(11);
		assertThat(left()).isEqualTo(Integer.MAX_VALUE - 5);
		pass(30);
		assertThat(left()).isEqualTo(Integer.MAX_VALUE);
	}

	private void note(int sequence) {
		this.headroom.note(sequence, this.now);
	}

	private int left() {
		return this.headroom.left(this.now);
	}

	private void pass(int minutes) {
		this.now += TimeUnit.MINUTES.toNanos(minutes);
	}

}

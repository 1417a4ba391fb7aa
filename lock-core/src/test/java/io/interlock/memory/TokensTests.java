package io.interlock.memory;

import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Tokens}.
 */
class TokensTests {

	private final AtomicLong clock = new AtomicLong(1000);

	private final Tokens tokens = new Tokens(this.clock::get);

	@Test
	void growWhileTheClockStandsStill() {
		assertThat(this.tokens.next()).isEqualTo(1_000_000);
		assertThat(this.tokens.next()).isEqualTo(1_000_001);
	}

	@Test
	void followTheClock() {
		this.tokens.next();
		this.clock.set(5000);
		assertThat(this.tokens.next()).isEqualTo(5_000_000);
	}

	@Test
	void growWhenTheClockIsSetBack() {
		this.tokens.next();
		this.clock.set(1);
		assertThat(this.tokens.next()).isEqualTo(1_000_001);
	}

	@Test
	void ofAnEarlierProcessAreExceeded() {
		long before = this.tokens.next();
		this.clock.incrementAndGet();
		assertThat(new Tokens(this.clock::get).next()).isGreaterThan(before);
	}

}

package io.interlock.internal;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LogPace}.
 */
class LogPaceTests {

	private static final long PAUSE = Duration.ofMinutes(1).toNanos();

	/** A clock that overflows on the way. */
	private final AtomicLong time = new AtomicLong(Long.MAX_VALUE - PAUSE);

	private final LogPace<String> pace = new LogPace<>(Duration.ofNanos(PAUSE), this.time::get);

	@Test
	void firstEventHasALineAndThenOneInEachPause() {
		assertThat(next(0, "stock")).hasValue(0);
		assertThat(next(PAUSE - 1, "stock")).isEmpty();
		assertThat(next(0, "stock")).isEmpty();
		assertThat(next(1, "stock")).hasValue(2);
		assertThat(next(PAUSE - 1, "stock")).isEmpty();
		assertThat(next(PAUSE, "stock")).hasValue(1);
		assertThat(next(PAUSE, "stock")).hasValue(0);
	}

	@Test
	void keysHavePacesOfTheirOwn() {
		assertThat(next(0, "stock")).hasValue(0);
		assertThat(next(1, "stock")).isEmpty();
		assertThat(next(0, "seats")).hasValue(0);
		assertThat(next(PAUSE - 1, "stock")).hasValue(1);
		assertThat(next(0, "seats")).isEmpty();
	}

	private OptionalLong next(long nanos, String key) {
		this.time.addAndGet(nanos);
		return this.pace.next(key);
	}

}

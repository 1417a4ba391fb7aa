package io.interlock;

import java.time.Instant;

import io.interlock.provider.LockCaller;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LockCaller}.
 */
class LockCallerTests {

	@Test
	void describesTheCallingThread() {
		Instant before = Instant.now();
		LockCaller owner = LockCaller.current();
		assertThat(owner.thread()).isEqualTo(Thread.currentThread().getName());
		assertThat(owner.since()).isBetween(before, Instant.now());
		assertThat(owner.traceId()).isNull();
	}

	@Test
	void takesTheTraceFromTheMdc() {
		try (MDC.MDCCloseable trace = MDC.putCloseable("traceId", "4bf92f3577b34da6")) {
			assertThat(trace).isNotNull();
			assertThat(LockCaller.current().traceId()).isEqualTo("4bf92f3577b34da6");
		}
	}

	@Test
	@SuppressWarnings("NullAway")
	void refusesNull() {
		Instant now = Instant.now();
		assertThatIllegalArgumentException().isThrownBy(() -> new LockCaller(null, now, null, false))
			.withMessage("'thread' must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> new LockCaller("main", null, null, false))
			.withMessage("'since' must not be null");
	}

}

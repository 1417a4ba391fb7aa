package io.interlock;

import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LockOwner}.
 */
class LockOwnerTests {

	@Test
	void describesTheCallingThread() {
		Instant before = Instant.now();
		LockOwner owner = LockOwner.current();
		assertThat(owner.thread()).isEqualTo(Thread.currentThread().getName());
		assertThat(owner.since()).isBetween(before, Instant.now());
		assertThat(owner.traceId()).isNull();
	}

	@Test
	void takesTheTraceFromTheMdc() {
		try (MDC.MDCCloseable trace = MDC.putCloseable("traceId", "4bf92f3577b34da6")) {
			assertThat(trace).isNotNull();
			assertThat(LockOwner.current().traceId()).isEqualTo("4bf92f3577b34da6");
		}
	}

	@Test
	@SuppressWarnings("NullAway")
	void refusesNull() {
		Instant now = Instant.now();
		assertThatIllegalArgumentException().isThrownBy(() -> new LockOwner(null, now, null))
			.withMessage("'thread' must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> new LockOwner("main", null, null))
			.withMessage("'since' must not be null");
	}

}

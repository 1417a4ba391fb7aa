package io.interlock.event;

import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.RevocationRequest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockEvent} and the records that implement it.
 */
class LockEventTests {

	private static final LockId ID = new LockId("orders", "42");

	private static final Duration TIME = Duration.ofSeconds(3);

	@ParameterizedTest
	@MethodSource("events")
	void tellsWhichLock(LockEvent event) {
		assertThat(event.id()).isEqualTo(ID);
	}

	@ParameterizedTest
	@MethodSource("events")
	void tellsTheMode(LockEvent event) {
		assertThat(event.mode()).isEqualTo(LockMode.SHARED);
	}

	@ParameterizedTest
	@MethodSource("events")
	void saysWhatHappened(LockEvent event, String text) {
		assertThat(event).hasToString(text);
	}

	static Stream<Arguments> events() {
		LockRequest request = LockRequest.shared("orders").withKey(42);
		LockHandle handle = mock(LockHandle.class);
		given(handle.id()).willReturn(ID);
		given(handle.mode()).willReturn(LockMode.SHARED);
		given(handle.acquiredAt()).willReturn(Instant.parse("2026-01-02T03:04:05Z"));
		given(handle.fencingToken()).willReturn(7L);
		LockServiceUnavailableException failure = new LockServiceUnavailableException("no answer", ID, TIME, null);
		return Stream.of(
				Arguments.of(new LockEvent.Acquired(request, handle, TIME),
						"Lock orders[42] (SHARED) was acquired after PT3S, token 7"),
				Arguments.of(new LockEvent.NotAcquired(request, TIME),
						"Lock orders[42] (SHARED) was not acquired, others held it for PT3S"),
				Arguments.of(new LockEvent.Failed(request, failure),
						"Lock orders[42] (SHARED) could not be acquired: "
								+ "io.interlock.LockServiceUnavailableException: no answer"),
				Arguments.of(new LockEvent.Released(handle, TIME),
						"Lock orders[42] (SHARED) was released after PT3S, token 7"),
				Arguments.of(new LockEvent.Lost(handle),
						"Lock orders[42] (SHARED) was lost while it was held, held since 2026-01-02T03:04:05Z, token 7"),
				Arguments.of(new LockEvent.Unconfirmed(handle),
						"Lock orders[42] (SHARED) is released without confirmation, held since 2026-01-02T03:04:05Z, token 7"),
				Arguments.of(new LockEvent.Overdue(handle, TIME),
						"Lock orders[42] (SHARED) is held for PT3S, longer than its maximum time, held since "
								+ "2026-01-02T03:04:05Z, token 7"),
				Arguments.of(new LockEvent.RevocationRequested(handle, new RevocationRequest("'alice'", Instant.EPOCH)),
						"'alice' asks to give up lock orders[42] (SHARED), "
								+ "held since 2026-01-02T03:04:05Z, token 7"));
	}

}

package io.interlock.internal;

import java.time.Duration;

import io.interlock.logging.MdcLockListener;
import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for names and keys where they become text.
 */
class PrintableTextTests {

	private static final String FORGED = "a\r\n2026-01-02 ERROR forged\u0085\u2028\u2029\u202eb\u2066c\u200f\u061c\t\u001b[31m\0";

	private static final String PRINTED = "a\\u000d\\u000a2026-01-02 ERROR forged\\u0085\\u2028\\u2029\\u202eb\\u2066c\\u200f\\u061c\\u0009\\u001b[31m\\u0000";

	@AfterEach
	void clearContext() {
		MDC.clear();
	}

	@Test
	void idIsOneLine() {
		assertThat(new LockId(FORGED, FORGED)).hasToString(PRINTED + "[" + PRINTED + "]");
	}

	@ParameterizedTest
	@ValueSource(strings = { "orders", "Stra\u00dfe 7/\u6771\u4eac", "\uD83D\uDD12", "C:\\temp", "a b" })
	void plainTextStays(String text) {
		assertThat(new LockId(text, text)).hasToString(text + "[" + text + "]");
	}

	@Test
	void loneSurrogatesAreEscaped() {
		assertThat(new LockId("a\ud800b", null)).hasToString("a\\ud800b");
	}

	@Test
	void exceptionIsOneLine() {
		LockException failure = new LockNotAcquiredException("Held by " + FORGED, new LockId("orders", FORGED),
				Duration.ZERO, FORGED);
		assertThat(failure.getMessage()).doesNotContain("\n").doesNotContain("\u2028").contains(PRINTED);
	}

	@Test
	void contextOfLogLinesIsOneLine() {
		LockHandle handle = mock(LockHandle.class);
		given(handle.id()).willReturn(new LockId("orders" + FORGED, FORGED));
		MdcLockListener listener = new MdcLockListener();
		listener.onAcquired(LockRequest.exclusive("orders"), handle, Duration.ZERO);
		assertThat(MDC.get(MdcLockListener.NAME)).isEqualTo("orders" + PRINTED);
		assertThat(MDC.get(MdcLockListener.KEY)).isEqualTo(PRINTED);
		listener.onReleased(handle, Duration.ZERO);
	}

}

package io.interlock;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockOperator.OperatorThread;
import io.interlock.provider.LockCaller;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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
	void operatorIsTheCallerOnItsThreadAndNotTheNameOfIt() throws Exception {
		LockOperator alice = new LockOperator("'alice'", "The printers are down");
		CompletableFuture<LockCaller> current = new CompletableFuture<>();
		OperatorThread thread = new OperatorThread(alice, () -> current.complete(LockCaller.current()));
		thread.start();
		thread.join();
		LockCaller caller = current.join();
		assertThat(caller.thread()).isEqualTo(thread.getName());
		assertThat(caller.operator()).isEqualTo(alice);
		assertThat(caller.retrying().operator()).isEqualTo(alice);
		assertThat(caller.expectingFree().operator()).isEqualTo(alice);
		assertThat(LockOperator.of(caller.text())).isEqualTo(alice);
		assertThat(LockCaller.current().operator()).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "main", "operator", "operator 'bob'", "operator 'bob' (reason: none)", "operator " })
	void noNameOfAThreadIsAnOperator(String thread) {
		LockCaller caller = new LockCaller(thread, Instant.now(), null, false);
		assertThat(LockOperator.of(caller.text())).isNull();
		assertThat(caller.text()).contains(thread);
	}

	@Test
	void nameOfAnOperatorHasNoMarkOfAReason() {
		assertThat(LockOperator.of(new LockOperator("'a' (reason: b)", "c) (reason: d").text()))
			.isEqualTo(new LockOperator("'a' (b)", "c) (reason: d"));
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

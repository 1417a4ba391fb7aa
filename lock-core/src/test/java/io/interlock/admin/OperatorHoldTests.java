package io.interlock.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockOperator;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockGrant;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockContext;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import io.interlock.template.MovedTime;
import io.interlock.testing.ScriptedLockProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.Mockito.mock;

/**
 * Tests for locks that {@link LockAdministrator} takes, in memory.
 */
@Timeout(30)
@ExtendWith(OutputCaptureExtension.class)
class OperatorHoldTests {

	private static final LockId ORDERS = new LockId("orders", "42");

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").withKey("42");

	private static final Duration TIME = Duration.ofMinutes(30);

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final MovedTime time = new MovedTime();

	private final HeldLocks heldLocks = new HeldLocks(this.time);

	private final LockTemplate template = new LockTemplate(
			new QueueingLockProvider(this.provider, QueueSettings.defaults()), LockSettings.defaults(), this.heldLocks,
			List.of());

	private final LockAdministrator administrator = new LockAdministrator(mock(LockRevoker.class), List.of());

	private LockHandle hold() {
		return this.administrator.hold(ORDERS, TIME, "'alice'", this.template::acquire, null);
	}

	@Test
	void endsWhenItsTimeIsOverAndNotBefore() {
		LockHandle held = hold();
		assertThat(this.heldLocks.held()).singleElement().satisfies((lock) -> {
			assertThat(lock.keptUntil()).isNotNull();
			assertThat(lock.token()).isEqualTo(held.fencingToken());
			assertThat(lock.operator()).isEqualTo(new LockOperator("'alice'", null));
		});
		this.time.advance(TIME.minusMinutes(1));
		assertThat(this.template.tryAcquire(REQUEST)).isEmpty();
		assertThat(this.provider.grants()).hasSize(1);
		this.time.advance(Duration.ofMinutes(2));
		assertThat(this.heldLocks.held()).isEmpty();
		assertThat(this.provider.grants()).isEmpty();
		this.template.acquire(REQUEST).close();
	}

	@Test
	void callerThatIsRefusedLearnsOfTheOperator() {
		hold();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.acquire(REQUEST.withWaitTime(Duration.ZERO)))
			.withMessageContaining("it is held by operator 'alice' until ")
			.satisfies((refusal) -> assertThat(refusal.getMessage()).doesNotContain("minimum hold time"));
	}

	@Test
	void secondOperatorLearnsOfTheFirstAndOfTheEnd() {
		hold();
		Instant until = this.heldLocks.held().get(0).keptUntil();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this::hold)
			.withMessage("Lock orders[42] is held by operator 'alice' until %s: nothing was done", until);
	}

	@Test
	void excludesReadersAndPermits() {
		hold();
		assertThat(this.template.tryAcquire(LockRequest.shared("orders").withKey("42"))).isEmpty();
		assertThat(this.template.tryAcquire(LockRequest.semaphore("orders", 3).withKey("42"))).isEmpty();
	}

	@Test
	void readerIsNotJoined() {
		try (LockHandle reader = this.template.acquire(LockRequest.shared("orders").withKey("42"))) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this::hold);
			assertThat(this.provider.grants()).extracting(LockGrant::fencingToken)
				.containsExactly(reader.fencingToken());
		}
	}

	@Test
	void lockOfTheAskingThreadIsNotJoined(CapturedOutput output) {
		try (LockHandle held = this.template.acquire(REQUEST)) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this::hold);
			assertThat(LockContext.held()).hasSize(1);
			assertThat(held.isValid()).isTrue();
		}
		assertThat(this.heldLocks.held()).isEmpty();
		assertThat(output).contains("Lock orders[42] could not be held for operator 'alice'",
				"action=hold outcome=held lock=\"orders[42]\" token=0 by=\"'alice'\" reason=");
	}

	@Test
	void leavesAnAuditTrail(CapturedOutput output) {
		LockHandle held = hold();
		assertThat(output).contains("WARN", "is held for operator 'alice' for PT30M: token " + held.fencingToken(),
				"action=hold outcome=done lock=\"orders[42]\" token=%d by=\"'alice'\" time=\"PT30M\""
					.formatted(held.fencingToken()));
	}

	@Test
	void outageIsNoContention(CapturedOutput output) {
		this.provider.setAvailable(false);
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(this::hold);
		assertThat(output).contains("action=hold outcome=failed");
		this.provider.setAvailable(true);
		assertThat(this.provider.grants()).isEmpty();
	}

	@Test
	void answerComesAfterTheStoreKeepsTheLock() {
		CompletableFuture<Boolean> keeps = new CompletableFuture<>();
		ScriptedLockProvider store = new ScriptedLockProvider().answers((attempt) -> {
			attempt.granted().keeps(keeps);
			attempt.grant();
			new Thread(() -> keeps.complete(true)).start();
		});
		LockTemplate template = new LockTemplate(store, LockSettings.defaults(), this.heldLocks, List.of());
		LockHandle held = this.administrator.hold(ORDERS, TIME, "'alice'", template::acquire, null);
		assertThat(keeps).isCompletedWithValue(true);
		assertThat(this.heldLocks.held()).singleElement()
			.satisfies((lock) -> assertThat(lock.token()).isEqualTo(held.fencingToken()));
	}

	@Test
	void lockThatTheStoreDoesNotKeepInTimeIsReleasedAndNotPromised(CapturedOutput output) {
		ScriptedLockProvider store = new ScriptedLockProvider().answers((attempt) -> {
			attempt.granted().keeps(new CompletableFuture<>());
			attempt.grant();
		});
		LockTemplate template = new LockTemplate(store, LockSettings.defaults(), this.heldLocks, List.of());
		LockAdministrator administrator = new LockAdministrator(mock(LockRevoker.class), List.of(),
				Duration.ofMillis(1));
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> administrator.hold(ORDERS, TIME, "'alice'", template::acquire, null))
			.withMessage("Lock orders[42] is released again: the store did not confirm within PT0.001S that it "
					+ "keeps the lock");
		assertThat(this.heldLocks.held()).isEmpty();
		assertThat(output).contains("action=hold outcome=failed");
	}

	@Test
	void failureOfAnotherKindIsALockException() {
		assertThatExceptionOfType(LockException.class)
			.isThrownBy(() -> this.administrator.hold(ORDERS, TIME, "'alice'", (request) -> {
				throw new IllegalStateException("broken");
			}, null))
			.withMessageContaining("broken");
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT-1S", "P7DT1S" })
	void badTimeIsRefusedByName(String time) {
		assertThatIllegalArgumentException().isThrownBy(
				() -> this.administrator.hold(ORDERS, Duration.parse(time), "'alice'", this.template::acquire, null))
			.withMessageContaining("'hold'");
		assertThat(this.provider.grants()).isEmpty();
	}

	@Test
	void threadNamedLikeAnOperatorIsNone() throws Exception {
		Thread thread = new Thread(() -> this.template.acquire(REQUEST.withMinHold(TIME)).close(), "operator 'bob'");
		thread.start();
		thread.join();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.template.acquire(REQUEST.withWaitTime(Duration.ZERO)))
			.withMessageContaining("it is held by this instance until ")
			.withMessageContaining("for its minimum hold time");
		this.heldLocks.releaseKept();
	}

	@Test
	void otherThreadsAreNoOperators() {
		assertThat(LockOperator.of("http-nio-8080-exec-1")).isNull();
		assertThat(LockOperator.of(null)).isNull();
	}

}

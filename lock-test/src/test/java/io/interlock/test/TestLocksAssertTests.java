package io.interlock.test;

import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.template.LockTemplate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link TestLocksAssert} and {@link LockAcquisitionsAssert}.
 */
class TestLocksAssertTests {

	private static final LockRequest SEAT = LockRequest.exclusive("seats").withKey(42).withWaitTime(Duration.ZERO);

	private final TestLocks locks = TestLocks.create();

	private final LockTemplate template = this.locks.template();

	@Test
	void nameMeansAllLocksOfThatName() {
		sell(42);
		sell(43);
		assertThat(this.locks).acquired("seats")
			.times(2)
			.acquired("seats", 42)
			.times(1)
			.notAcquired("seats", 44)
			.notAcquired("seat");
		fails(() -> assertThat(this.locks).notAcquired("seats"), "Expected lock seats not to be acquired, but it was.");
	}

	@Test
	void saysHowOftenALockWasAcquired() {
		sell(42);
		sell(42);
		fails(() -> assertThat(this.locks).acquired("seats", 42).times(1),
				"Expected lock seats[42] to be acquired once, but it was acquired 2 times.");
	}

	@Test
	void failuresTellTheHistory() {
		sell(42);
		this.locks.busy("seats", 43);
		assertThat(this.template.tryAcquire(SEAT.withKey(43))).isEmpty();
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertThat(this.locks).as("the sale").acquired("seats", 43))
			.withMessageMatching("""
					\\[the sale] Expected lock seats\\[43] to be acquired, but it was not\\.
					The history of this test:
					  Lock seats\\[42] \\(EXCLUSIVE\\) was acquired after \\S+, token \\d+
					  Lock seats\\[42] \\(EXCLUSIVE\\) was released after PT0S, token \\d+
					  Lock seats\\[43] \\(EXCLUSIVE\\) was not acquired, others held it for \\S+
					Held now: no lock""");
	}

	@Test
	void descriptionStaysForTheNumberOfAcquisitions() {
		sell(42);
		fails(() -> assertThat(this.locks).as("the sale").acquired("seats", 42).times(2),
				"[the sale] Expected lock seats[42] to be acquired 2 times, but it was acquired once.");
	}

	@Test
	void failureWithoutAnyHistorySaysWhatIsMostLikely() {
		fails(() -> assertThat(this.locks).acquired("seats"),
				"No lock was requested. An annotated method acquires its lock only if it is called through its "
						+ "Spring bean.");
	}

	@Test
	void holdsWhatIsHeldNow() {
		assertThat(this.locks).holdsNothing();
		try (LockHandle held = this.template.acquire(SEAT)) {
			assertThat(held.isValid()).isTrue();
			assertThat(this.locks).holds("seats").holds("seats", 42);
			fails(() -> assertThat(this.locks).holds("seats", 43),
					"Expected lock seats[43] to be held, but it is not.");
			fails(() -> assertThat(this.locks).holdsNothing(), "Expected no lock to be held.");
			this.locks.reset();
			fails(() -> assertThat(this.locks).holdsNothing(),
					"Held now:\n  seats[42] (EXCLUSIVE), token %d, by thread '%s'".formatted(held.fencingToken(),
							Thread.currentThread().getName()));
		}
		assertThat(this.locks).holdsNothing();
		fails(() -> assertThat(this.locks).holds("seats", 42), "Expected lock seats[42] to be held, but it is not.");
	}

	@Test
	void holdsWhatItsMinimumTimeKeeps() {
		this.template.execute(SEAT.withMinHold(Duration.ofMinutes(1)), (lock) -> "sold");
		assertThat(this.locks).holds("seats", 42);
		fails(() -> assertThat(this.locks).holdsNothing(), "kept for its minimum time");
	}

	@Test
	void keyThatIsNullMeansTheLockWithoutAKey() {
		sell(42);
		this.template.execute(LockRequest.exclusive("prices"), (lock) -> assertThat(this.locks).holds("prices", null));
		assertThat(this.locks).acquired("prices", null).times(1).acquired("seats").times(1).notAcquired("seats", null);
		fails(() -> assertThat(this.locks).refused("seats", null), "Expected lock seats to be refused");
		fails(() -> assertThat(this.locks).lost("prices", null), "Expected lock prices to be lost");
	}

	@Test
	void lostIsWhatWasTakenAway() {
		try (LockHandle held = this.template.acquire(SEAT)) {
			fails(() -> assertThat(this.locks).lost("seats"), "Expected lock seats to be lost, but it was not.");
			this.locks.lose(held.id());
		}
		assertThat(this.locks).lost("seats").lost("seats", 42).acquired("seats").times(1);
		fails(() -> assertThat(this.locks).lost("seats", 43), "Lock seats[42] (EXCLUSIVE) was lost while it was held");
	}

	@Test
	void refusedIsWhatWasAskedForInVain() {
		fails(() -> assertThat(this.locks).refused("seats", 42),
				"Expected lock seats[42] to be refused, but it was not.");
		this.locks.busy("seats", 42);
		assertThat(this.template.tryAcquire(SEAT)).isEmpty();
		assertThat(this.locks).refused("seats").refused("seats", 42).notAcquired("seats");
	}

	@Test
	void textOfAKeyIsNoFormat() {
		fails(() -> assertThat(this.locks).acquired("seats", "100 %s"), "lock seats[100 %s] to be acquired");
	}

	private void sell(int seat) {
		this.template.execute(SEAT.withKey(seat), (lock) -> "sold");
	}

	private static void fails(ThrowingCallable assertion, String message) {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(assertion).withMessageContaining(message);
	}

}

package io.interlock.test;

import java.time.Duration;
import java.util.List;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
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

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final LockHistory history = new LockHistory();

	private final TestLocks locks = new TestLocks(this.provider, this.history);

	private final LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), new HeldLocks(),
			List.of(this.history));

	@Test
	void nameMeansAllLocksOfThatName() {
		sell(42);
		sell(43);
		assertThat(this.locks).acquired("seats")
			.times(2)
			.acquired("seats", 42)
			.once()
			.neverAcquired("seats", 44)
			.neverAcquired("seat");
		fails(() -> assertThat(this.locks).neverAcquired("seats"),
				"Expected lock seats never to be acquired, but it was.");
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
			.withMessageMatching("(?s)" + """
					\\[the sale] Expected lock seats\\[43] to be acquired, but it was not\\.
					The history of this test:
					  seats\\[42] EXCLUSIVE, token \\d+, acquired at \\S+: RELEASED
					  seats\\[43] EXCLUSIVE, refused at \\S+: others held it""");
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
				"No lock was asked for. An annotated method takes its lock only if it is called through its Spring bean.");
	}

	@Test
	void heldIsWhatIsHeldNow() {
		try (LockHandle held = this.template.acquire(SEAT)) {
			assertThat(held.isValid()).isTrue();
			assertThat(this.locks).held("seats").held("seats", 42).notHeld("seats", 43);
			fails(() -> assertThat(this.locks).notHeld("seats", 42),
					"Expected lock seats[42] not to be held, but it is.");
			this.history.clear();
			fails(() -> assertThat(this.locks).notHeld("seats"), "before the test: seats[42] EXCLUSIVE");
		}
		assertThat(this.locks).notHeld("seats");
		fails(() -> assertThat(this.locks).held("seats", 42), "Expected lock seats[42] to be held, but it is not.");
	}

	@Test
	void lostIsWhatWasTakenAway() {
		try (LockHandle held = this.template.acquire(SEAT)) {
			fails(() -> assertThat(this.locks).lost("seats"), "Expected lock seats to be lost, but it was not.");
			this.locks.lose(held.id());
		}
		assertThat(this.locks).lost("seats").lost("seats", 42).acquired("seats").once();
		fails(() -> assertThat(this.locks).lost("seats", 43), "seats[42] EXCLUSIVE");
	}

	@Test
	void refusedIsWhatWasAskedForInVain() {
		fails(() -> assertThat(this.locks).refused("seats", 42),
				"Expected lock seats[42] to be refused, but it was not.");
		this.locks.busy("seats", 42);
		assertThat(this.template.tryAcquire(SEAT)).isEmpty();
		assertThat(this.locks).refused("seats").refused("seats", 42).neverAcquired("seats");
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

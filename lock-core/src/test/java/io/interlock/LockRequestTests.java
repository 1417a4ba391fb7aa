package io.interlock;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * Tests for {@link LockRequest}.
 */
class LockRequestTests {

	private static final Map<String, UnaryOperator<LockRequest>> CHANGES = Map.of( //
			"key", (request) -> request.withKey("42"), //
			"wait time", (request) -> request.withWaitTime(Duration.ZERO), //
			"loss policy", (request) -> request.withOnLoss(LossPolicy.SIGNAL), //
			"longest hold", (request) -> request.withMaxHold(Duration.ofNanos(1)), //
			"release", (request) -> request.withRelease(ReleasePolicy.AFTER_METHOD));

	private final LockRequest request = LockRequest.exclusive("orders");

	@Test
	void exclusiveAsksForTheLockOfTheName() {
		assertThat(this.request.id()).isEqualTo(new LockId("orders", null));
		assertThat(this.request.mode()).isEqualTo(LockMode.EXCLUSIVE);
	}

	@Test
	void sharedAsksForTheLockOfTheName() {
		assertThat(LockRequest.shared("orders").id()).isEqualTo(new LockId("orders", null));
		assertThat(LockRequest.shared("orders").mode()).isEqualTo(LockMode.SHARED);
	}

	@Test
	void leavesTheRestToDefaults() {
		assertThat(this.request.waitTime()).isNull();
		assertThat(this.request.maxHold()).isNull();
		assertThat(this.request.onLoss()).isEqualTo(LossPolicy.FAIL);
		assertThat(this.request.release()).isEqualTo(ReleasePolicy.AFTER_TRANSACTION);
	}

	@Test
	void carriesEverythingThatWasSaid() {
		LockRequest said = this.request.withKey(42)
			.withWaitTime(Duration.ofSeconds(5))
			.withOnLoss(LossPolicy.INTERRUPT)
			.withMaxHold(Duration.ofMinutes(1))
			.withRelease(ReleasePolicy.AFTER_METHOD);
		assertThat(said.id()).isEqualTo(new LockId("orders", "42"));
		assertThat(said.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(said.waitTime()).isEqualTo(Duration.ofSeconds(5));
		assertThat(said.onLoss()).isEqualTo(LossPolicy.INTERRUPT);
		assertThat(said.maxHold()).isEqualTo(Duration.ofMinutes(1));
		assertThat(said.release()).isEqualTo(ReleasePolicy.AFTER_METHOD);
	}

	@ParameterizedTest
	@MethodSource("changes")
	void isNotChangedByAChange(UnaryOperator<LockRequest> change) {
		LockRequest changed = change.apply(this.request);
		assertThat(this.request).isEqualTo(LockRequest.exclusive("orders"));
		assertThat(changed).isNotEqualTo(this.request);
	}

	@ParameterizedTest
	@MethodSource("changes")
	void isEqualAfterTheSameChange(UnaryOperator<LockRequest> change) {
		assertThat(change.apply(this.request)).isEqualTo(change.apply(LockRequest.exclusive("orders")))
			.hasSameHashCodeAs(change.apply(LockRequest.exclusive("orders")));
	}

	@ParameterizedTest
	@MethodSource("changes")
	void keepsTheRestWhenOneThingChanges(UnaryOperator<LockRequest> change) {
		LockRequest all = this.request;
		for (UnaryOperator<LockRequest> other : CHANGES.values()) {
			all = other.apply(all);
		}
		assertThat(change.apply(all)).isEqualTo(all);
	}

	static Stream<Arguments> changes() {
		return CHANGES.entrySet().stream().map((change) -> argumentSet(change.getKey(), change.getValue()));
	}

	@Test
	void sharedIsNotEqualToExclusive() {
		assertThat(LockRequest.shared("orders")).isNotEqualTo(this.request);
	}

	@Test
	void takesTheTextOfTheKey() {
		assertThat(this.request.withKey(List.of(1, 2)).id().key()).isEqualTo("1,2");
	}

	@Test
	void replacesTheKey() {
		assertThat(this.request.withKey(1).withKey(2).id()).isEqualTo(new LockId("orders", "2"));
	}

	@Test
	void waitsForeverWithoutOverflow() {
		assertThat(this.request.withWaitTime(LockRequest.FOREVER).waitTime()).isEqualTo(LockRequest.FOREVER);
	}

	@Test
	void saysModeAndLock() {
		assertThat(LockRequest.shared("orders").withKey(42)).hasToString("SHARED orders[42]");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " " })
	void refusesAnEmptyName(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.shared(name))
			.withMessage("'name' of a lock must not be empty");
	}

	@Test
	@SuppressWarnings("NullAway")
	void refusesANullKeyAndNamesTheLock() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.request.withKey(null))
			.withMessage("'key' of lock 'orders' must not be null");
	}

	@Test
	void refusesABlankKeyAndNamesTheLock() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.request.withKey(new StringBuilder(" ")))
			.withMessage("'key' of lock 'orders' must not be blank");
	}

	@Test
	void refusesALongKeyAndNamesTheLock() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.request.withKey("k".repeat(1_000_000)))
			.withMessage("'key' of lock 'orders' has 1000000 characters, more than 1000: shorten it, or hash it");
	}

	@Test
	void refusesAKeyWithoutTextInsteadOfLockingTheWholeName() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.request.withKey(Optional.empty()))
			.withMessage("The key of lock 'orders' cannot be used. A lock key must neither be null nor contain null.");
	}

	@Test
	void refusesANegativeWaitTime() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.request.withWaitTime(Duration.ofMillis(-1)))
			.withMessage("'waitTime' must not be negative: PT-0.001S");
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, -1 })
	void refusesALongestHoldThatIsNotPositive(long millis) {
		Duration maxHold = Duration.ofMillis(millis);
		assertThatIllegalArgumentException().isThrownBy(() -> this.request.withMaxHold(maxHold))
			.withMessage("'maxHold' must be positive: " + maxHold);
	}

	@Test
	@SuppressWarnings("NullAway")
	void refusesNull() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.request.withWaitTime(null))
			.withMessage("'waitTime' must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.request.withOnLoss(null))
			.withMessage("'policy' must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.request.withMaxHold(null))
			.withMessage("'maxHold' must not be null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.request.withRelease(null))
			.withMessage("'release' must not be null");
	}

}

package io.interlock;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LockId}.
 */
class LockIdTests {

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", " ", "\t\n" })
	@SuppressWarnings("NullAway")
	void refusesAnEmptyName(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> new LockId(name, "42"))
			.withMessage("'name' of a lock must not be empty");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\t\n" })
	void refusesABlankKeyAndNamesTheLock(String key) {
		assertThatIllegalArgumentException().isThrownBy(() -> new LockId("orders", key))
			.withMessage("'key' of lock 'orders' must not be blank");
	}

	@Test
	void takesAThousandCharactersAndRefusesMore() {
		String longest = "x".repeat(1000);
		assertThat(new LockId(longest, longest).key()).isEqualTo(longest);
		assertThatIllegalArgumentException().isThrownBy(() -> new LockId("orders", longest + "y"))
			.withMessage("'key' of lock 'orders' has 1001 characters, more than 1000: shorten it, or hash it");
		assertThatIllegalArgumentException().isThrownBy(() -> new LockId(longest + "y", null))
			.withMessage("'name' of a lock has 1001 characters, more than 1000: shorten it, or hash it");
	}

	@Test
	void isTheSameLockWhenBothPartsAreEqual() {
		assertThat(new LockId("orders", "42")).isEqualTo(new LockId("orders", "42"))
			.hasSameHashCodeAs(new LockId("orders", "42"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "43", "42 ", " 42", "４２", "null" })
	void isAnotherLockWhenTheKeyDiffers(String key) {
		assertThat(new LockId("orders", "42")).isNotEqualTo(new LockId("orders", key));
	}

	@Test
	void theLockOfANameIsNoneOfItsKeys() {
		assertThat(new LockId("orders", null)).isNotEqualTo(new LockId("orders", "null"));
	}

	@Test
	void saysNameAndKey() {
		assertThat(new LockId("orders", "42")).hasToString("orders[42]");
	}

	@Test
	void saysOnlyTheNameWithoutAKey() {
		assertThat(new LockId("orders", null)).hasToString("orders");
	}

}

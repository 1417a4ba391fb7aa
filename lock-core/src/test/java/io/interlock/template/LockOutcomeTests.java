package io.interlock.template;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockOutcome}.
 */
class LockOutcomeTests {

	@Test
	void anAcquiredLockHasAValue() {
		LockOutcome<String> outcome = LockOutcome.acquired("done");
		assertThat(outcome.acquired()).isTrue();
		assertThat(outcome.value()).isEqualTo("done");
		assertThat(outcome.orElse("other")).isEqualTo("done");
	}

	@Test
	void aLockThatWasNotAcquiredHasNoValue() {
		LockOutcome<String> outcome = LockOutcome.notAcquired();
		assertThat(outcome.acquired()).isFalse();
		assertThat(outcome.value()).isNull();
		assertThat(outcome.orElse("other")).isEqualTo("other");
	}

	@Test
	void aValueOfNullIsAValue() {
		LockOutcome<@Nullable String> outcome = LockOutcome.acquired(null);
		assertThat(outcome.acquired()).isTrue();
		assertThat(outcome.orElse("other")).isNull();
	}

	@Test
	void isEqualByWhatHappened() {
		assertThat(LockOutcome.acquired("done")).isEqualTo(LockOutcome.acquired("done"))
			.hasSameHashCodeAs(LockOutcome.acquired("done"))
			.isNotEqualTo(LockOutcome.acquired("other"));
	}

	@Test
	void aValueOfNullIsNotEqualToNoValue() {
		assertThat(LockOutcome.<@Nullable String>acquired(null)).isNotEqualTo(LockOutcome.notAcquired());
	}

	@Test
	void saysWhatHappened() {
		assertThat(LockOutcome.acquired("done")).hasToString("LockOutcome[acquired, value=done]");
		assertThat(LockOutcome.notAcquired()).hasToString("LockOutcome[not acquired]");
	}

}

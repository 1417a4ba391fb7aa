package io.interlock.template;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LockSettings}.
 */
class LockSettingsTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final Duration NEGATIVE = Duration.ofMillis(-1);

	@Test
	void hasTheDefaultsOfAnApplicationThatConfiguresNothing() {
		assertThat(LockSettings.defaults())
			.isEqualTo(new LockSettings(Duration.ofSeconds(10), Map.of(), Duration.ofSeconds(1)));
	}

	@Test
	void doesNotChangeWithTheMapItWasMadeFrom() {
		Map<String, Duration> waitTimes = new HashMap<>(Map.of("orders", SECOND));
		LockSettings settings = new LockSettings(SECOND, waitTimes, SECOND);
		waitTimes.clear();
		assertThat(settings.waitTimes()).containsExactly(Map.entry("orders", SECOND));
	}

	@Test
	void refusesANegativeDefault() {
		assertThatIllegalArgumentException().isThrownBy(() -> new LockSettings(NEGATIVE, Map.of(), SECOND))
			.withMessage("'defaultWaitTime' must not be negative: PT-0.001S");
	}

	@Test
	void refusesANegativeOverrideAndNamesTheLock() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new LockSettings(SECOND, Map.of("orders", NEGATIVE), SECOND))
			.withMessage("Wait time of lock 'orders' must not be negative: PT-0.001S");
	}

	@Test
	void refusesATryTimeoutThatIsNotPositive() {
		assertThatIllegalArgumentException().isThrownBy(() -> new LockSettings(SECOND, Map.of(), Duration.ZERO))
			.withMessage("'tryTimeout' must be positive: PT0S");
	}

}

package io.interlock.interceptor;

import java.time.Duration;

import io.interlock.LockRequest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link WaitTimes}.
 */
class WaitTimesTests {

	@ParameterizedTest
	@CsvSource({ "5s,PT5S", "500ms,PT0.5S", "PT5S,PT5S", "1m30s,PT1M30S", "0,PT0S", "0s,PT0S", "2d,PT48H" })
	void readsDurations(String text, Duration expected) {
		assertThat(WaitTimes.parse(text)).isEqualTo(expected);
	}

	@ParameterizedTest
	@ValueSource(strings = { "forever", "FOREVER" })
	void readsForever(String text) {
		assertThat(WaitTimes.parse(text)).isEqualTo(LockRequest.FOREVER);
	}

	@ParameterizedTest
	@ValueSource(strings = { "5", "-5", "+5", "00" })
	void refusesNumberWithoutUnit(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> WaitTimes.parse(text))
			.withMessage("The time '%s' has no unit.", text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "-5s", "PT-5S", "-1m30s" })
	void refusesNegativeTime(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> WaitTimes.parse(text))
			.withMessage("The time '%s' is negative.", text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "soon", "5 parsecs", "-", "()", "PT", "5x", "99999999999999999999s", "never" })
	void refusesWhatIsNoDuration(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> WaitTimes.parse(text))
			.withMessage("The time '%s' is not a duration.", text);
	}

}

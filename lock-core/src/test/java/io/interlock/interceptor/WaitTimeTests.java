package io.interlock.interceptor;

import java.time.Duration;

import io.interlock.LockRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link WaitTime}.
 */
class WaitTimeTests {

	@ParameterizedTest
	@CsvSource({ "5s, PT5S", "PT5S, PT5S", "250ms, PT0.25S", "2m, PT2M", "1h30m, PT1H30M", "0, PT0S", "0s, PT0S" })
	void parsesDurations(String text, Duration expected) {
		assertThat(WaitTime.of(text).duration()).isEqualTo(expected);
	}

	@ParameterizedTest
	@ValueSource(strings = { "forever", "FOREVER", " forever " })
	void parsesForever(String text) {
		assertThat(WaitTime.of(text).duration()).isEqualTo(LockRequest.FOREVER);
	}

	@Test
	void refusesNumberWithoutUnit() {
		assertThatIllegalArgumentException().isThrownBy(() -> WaitTime.of("5"))
			.withMessage(
					"The time '5' has no unit. Write a number and a unit, such as '500ms' or '5s', '0' or 'forever'.");
	}

	@Test
	void refusesNegative() {
		assertThatIllegalArgumentException().isThrownBy(() -> WaitTime.of("-5s"))
			.withMessageStartingWith("The time '-5s' is negative.");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "soon", "5 parsecs" })
	void refusesWhatIsNoDuration(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> WaitTime.of(text))
			.withMessageContaining("is not a duration. Write a number and a unit");
	}

	@ParameterizedTest
	@CsvSource({ "5s,PT5S", "500ms,PT0.5S", "PT5S,PT5S", "1m30s,PT1M30S", "0,PT0S", "0s,PT0S", "2d,PT48H" })
	void readsTextOfAttribute(String text, Duration expected) {
		assertThat(WaitTime.parse(text)).isEqualTo(expected);
	}

	@ParameterizedTest
	@ValueSource(strings = { "forever", "FOREVER" })
	void readsForeverOfAttribute(String text) {
		assertThat(WaitTime.parse(text)).isEqualTo(LockRequest.FOREVER);
	}

	@ParameterizedTest
	@ValueSource(strings = { "5", "-5", "+5", "00" })
	void saysThatNumberHasNoUnit(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> WaitTime.parse(text))
			.withMessage("The time '%s' has no unit.", text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "-5s", "PT-5S", "-1m30s" })
	void saysThatTimeIsNegative(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> WaitTime.parse(text))
			.withMessage("The time '%s' is negative.", text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "soon", "5 parsecs", "-", "()", "PT", "5x", "99999999999999999999s", "never" })
	void saysThatTextIsNoDuration(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> WaitTime.parse(text))
			.withMessage("The time '%s' is not a duration.", text);
	}

	@Test
	void hasValueSemantics() {
		assertThat(WaitTime.of("5s")).isEqualTo(WaitTime.of("PT5S"))
			.hasSameHashCodeAs(WaitTime.of("PT5S"))
			.isNotEqualTo(WaitTime.of("6s"))
			.hasToString("PT5S");
		assertThat(WaitTime.of("forever")).hasToString("forever");
	}

}

package io.interlock.queue;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link QueueSettings}.
 */
class QueueSettingsTests {

	@Test
	void defaultsAreThoseOfTheProperties() {
		assertThat(QueueSettings.defaults())
			.isEqualTo(new QueueSettings(true, Map.of(), Duration.ofMillis(50), Integer.MAX_VALUE, Integer.MAX_VALUE));
	}

	@Test
	void namesOverrideTheSwitch() {
		QueueSettings settings = new QueueSettings(false, Map.of("hot", true, "cold", false), Duration.ZERO, 0, 1);
		assertThat(settings.isEnabled("hot")).isTrue();
		assertThat(settings.isEnabled("cold")).isFalse();
		assertThat(settings.isEnabled("other")).isFalse();
	}

	@Test
	void grantsDoNotLingerByDefault() {
		assertThat(QueueSettings.defaults().linger("orders")).isZero();
	}

	@Test
	void namesOverrideTheLingerTime() {
		QueueSettings settings = new QueueSettings(true, Map.of(), Duration.ZERO, 0, 1, Duration.ofSeconds(1),
				Map.of("orders", Duration.ofSeconds(2)));
		assertThat(settings.linger("orders")).isEqualTo(Duration.ofSeconds(2));
		assertThat(settings.linger("other")).isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void refusesNegativeLingerTimes() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new QueueSettings(true, Map.of(), Duration.ZERO, 0, 1, Duration.ofMillis(-1), Map.of()))
			.withMessageContaining("linger");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new QueueSettings(true, Map.of(), Duration.ZERO, 0, 1, Duration.ZERO,
					Map.of("orders", Duration.ofMillis(-1))))
			.withMessageContaining("orders");
	}

	@Test
	void doesNotChangeWithTheMap() {
		Map<String, Boolean> byName = new HashMap<>();
		QueueSettings settings = new QueueSettings(true, byName, Duration.ZERO, 0, 1);
		byName.put("orders", false);
		assertThat(settings.isEnabled("orders")).isTrue();
	}

	@Test
	void refusesWhatCannotBe() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new QueueSettings(true, Map.of(), Duration.ofMillis(-1), 0, 1))
			.withMessageContaining("maxTenure");
		assertThatIllegalArgumentException().isThrownBy(() -> new QueueSettings(true, Map.of(), Duration.ZERO, -1, 1))
			.withMessageContaining("maxHandoffs");
		assertThatIllegalArgumentException().isThrownBy(() -> new QueueSettings(true, Map.of(), Duration.ZERO, 0, 0))
			.withMessageContaining("maxWaiting");
	}

}

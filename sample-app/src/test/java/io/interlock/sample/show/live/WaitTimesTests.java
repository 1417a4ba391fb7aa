package io.interlock.sample.show.live;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for {@link WaitTimes}.
 */
class WaitTimesTests {

	private final AtomicLong now = new AtomicLong(1000);

	private final WaitTimes waits = new WaitTimes(this.now::get);

	@ParameterizedTest
	@CsvSource({ "0, 0", "1, 1", "4, 2", "5, 3", "9999, 12", "10000, 13", "3600000, 13" })
	void countsAWaitInItsClass(long millis, int index) {
		this.waits.add(Duration.ofMillis(millis));
		assertThat(this.waits.lastMinute()).singleElement()
			.satisfies((second) -> assertThat(second.counts()).hasSize(14)
				.allSatisfy((count) -> assertThat(count).isLessThanOrEqualTo(1))
				.element(index)
				.isEqualTo(1));
	}

	@Test
	void keepsTheSecondsInOrder() {
		this.waits.add(Duration.ZERO);
		this.now.set(1003);
		this.waits.add(Duration.ZERO);
		this.waits.add(Duration.ZERO);
		assertThat(this.waits.lastMinute()).extracting(WaitTimes.Second::at, (second) -> second.counts().get(0))
			.containsExactly(tuple(1000L, 1), tuple(1003L, 2));
	}

	@Test
	void forgetsWhatIsOlderThanAMinute() {
		this.waits.add(Duration.ZERO);
		this.now.set(1059);
		assertThat(this.waits.lastMinute()).hasSize(1);
		this.now.set(1060);
		assertThat(this.waits.lastMinute()).isEmpty();
		this.waits.add(Duration.ZERO);
		assertThat(this.waits.lastMinute()).extracting(WaitTimes.Second::at).containsExactly(1060L);
	}

}

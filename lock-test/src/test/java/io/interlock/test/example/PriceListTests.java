package io.interlock.test.example;

import java.math.BigDecimal;

import io.interlock.test.TestLocks;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PriceList}.
 */
class PriceListTests {

	private final TestLocks locks = TestLocks.create();

	private final PriceList prices = new PriceList(this.locks.template());

	@Test
	void changesThePriceOfAnArticleThatIsFree() {
		this.locks.busy("prices", "A-1");
		assertThat(this.prices.change("A-1", BigDecimal.ONE)).isFalse();
		assertThat(this.prices.change("B-7", BigDecimal.TEN)).isTrue();
		assertThat(this.locks).refused("prices", "A-1").acquired("prices", "B-7").times(1);
	}

}

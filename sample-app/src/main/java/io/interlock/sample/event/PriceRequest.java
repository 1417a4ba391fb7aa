package io.interlock.sample.event;

import java.math.BigDecimal;

import io.interlock.sample.web.InvalidRequestException;
import org.jspecify.annotations.Nullable;

/**
 * Body of a request to change the price.
 *
 * @param price the new price
 */
record PriceRequest(@Nullable BigDecimal price) {

	private static final BigDecimal HIGHEST = new BigDecimal("9999.99");

	BigDecimal validPrice() {
		if (this.price == null || this.price.signum() < 1 || this.price.compareTo(HIGHEST) > 0
				|| this.price.stripTrailingZeros().scale() > 2) {
			throw new InvalidRequestException("'price' must be between 0.01 and 9999.99, with at most two decimals");
		}
		return this.price;
	}

}

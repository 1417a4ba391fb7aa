package io.interlock.sample.event;

import io.interlock.sample.web.InvalidRequestException;
import org.jspecify.annotations.Nullable;

/**
 * Body of a request for a ticket.
 *
 * @param buyer who buys
 */
record SaleRequest(@Nullable String buyer) {

	String validBuyer() {
		if (this.buyer == null || this.buyer.isBlank() || this.buyer.length() > 100) {
			throw new InvalidRequestException("'buyer' must have 1 to 100 characters");
		}
		return this.buyer;
	}

}

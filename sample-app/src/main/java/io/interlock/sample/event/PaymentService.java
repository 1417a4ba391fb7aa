package io.interlock.sample.event;

import java.math.BigDecimal;

/**
 * Takes the money.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface PaymentService {

	/**
	 * Take the money for a ticket.
	 * @param buyer who pays
	 * @param amount how much
	 */
	void pay(String buyer, BigDecimal amount);

}

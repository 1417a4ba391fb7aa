package io.interlock.test.recipe;

import java.math.BigDecimal;

/**
 * Accounts of customers.
 */
interface Accounts {

	void add(long id, BigDecimal amount);

	void add(long id, BigDecimal amount, long token);

	void settle();

}

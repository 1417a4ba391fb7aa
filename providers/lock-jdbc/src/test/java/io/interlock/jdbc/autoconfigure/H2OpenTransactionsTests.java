package io.interlock.jdbc.autoconfigure;

import java.util.UUID;

/**
 * Callers inside open transactions, in H2.
 */
class H2OpenTransactionsTests extends OpenTransactionsContract {

	H2OpenTransactionsTests() {
		super("jdbc:h2:mem:" + UUID.randomUUID(), "sa");
	}

}

package io.interlock.jdbc;

import java.util.UUID;

/**
 * Tests for the SQL for operators in H2.
 */
class H2OperatorStatementsTests extends OperatorStatementsContract {

	H2OperatorStatementsTests() {
		super(LockDatabase.H2, "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));
	}

}

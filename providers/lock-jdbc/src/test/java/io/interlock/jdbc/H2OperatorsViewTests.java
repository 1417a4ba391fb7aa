package io.interlock.jdbc;

import java.util.UUID;

/**
 * What operators see and do in H2.
 */
class H2OperatorsViewTests extends JdbcOperatorsContract {

	H2OperatorsViewTests() {
		super(LockDatabase.H2, "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));
	}

}

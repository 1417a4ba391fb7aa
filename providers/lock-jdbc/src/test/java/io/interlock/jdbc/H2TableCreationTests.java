package io.interlock.jdbc;

import java.util.UUID;

/**
 * Tests for a start beside an open transaction in H2.
 */
class H2TableCreationTests extends TableCreationContract {

	H2TableCreationTests() {
		super(LockDatabase.H2, "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));
	}

}

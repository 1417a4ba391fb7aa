package io.interlock.jdbc;

import java.util.UUID;

/**
 * Tests for new locks in H2.
 */
class H2NewRowsTests extends NewRowsContract {

	H2NewRowsTests() {
		super(LockDatabase.H2, "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));
	}

}

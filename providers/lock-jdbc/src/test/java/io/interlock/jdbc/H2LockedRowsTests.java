package io.interlock.jdbc;

import java.util.UUID;

/**
 * Tests for locked rows in H2, which lets a statement wait for a row as long as its
 * address says.
 */
class H2LockedRowsTests extends LockedRowsContract {

	H2LockedRowsTests() {
		super(LockDatabase.H2, "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=600000".formatted(UUID.randomUUID()));
	}

}

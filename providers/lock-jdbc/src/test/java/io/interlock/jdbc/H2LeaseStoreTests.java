package io.interlock.jdbc;

import java.util.UUID;

/**
 * Tests for {@link JdbcLeaseStore} in H2.
 */
class H2LeaseStoreTests extends JdbcLeaseStoreContract {

	H2LeaseStoreTests() {
		super(LockDatabase.H2, "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));
	}

}

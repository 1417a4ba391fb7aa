package io.interlock.jdbc;

import java.util.UUID;

/**
 * The contract for locks in H2, in this process.
 */
class H2LockProviderContractTests extends JdbcLockProviderContract {

	H2LockProviderContractTests() {
		super(LockDatabase.H2, "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()), 4);
		instances().createTables();
	}

	@Override
	protected void stopStore() {
		instances().setBroken(true);
	}

	@Override
	protected void startStore() {
		instances().setBroken(false);
	}

}

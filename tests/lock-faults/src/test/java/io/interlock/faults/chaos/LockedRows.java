package io.interlock.faults.chaos;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Set;
import java.util.TreeSet;

import javax.sql.DataSource;

import io.interlock.faults.chaos.Fault.Lane;

/**
 * Keeps the rows of a few locks in a transaction for a while, as an operator does. A
 * holder whose row is kept for longer than its lease may be lost, and no other one.
 */
final class LockedRows {

	private static final String LOCK = "SELECT 1 FROM interlock_lock WHERE lock_name = ANY (?) FOR UPDATE";

	private final DataSource database;

	LockedRows(DataSource database) {
		this.database = database;
	}

	Fault one() {
		return new Fault("ROW_LOCKED", Lane.NODES, 500, 8000, (site) -> lock(site, 1));
	}

	Fault several() {
		return new Fault("ROWS_LOCKED", Lane.NODES, 500, 8000, (site) -> lock(site, 2 + site.random(3)));
	}

	private void lock(Site site, int count) throws InterruptedException {
		Set<String> locks = new TreeSet<>();
		while (locks.size() < count) {
			locks.add(site.lock());
		}
		try (Connection connection = this.database.getConnection();
				PreparedStatement statement = connection.prepareStatement(LOCK)) {
			connection.setAutoCommit(false);
			statement.setArray(1, connection.createArrayOf("text", locks.toArray()));
			statement.executeQuery();
			site.during("row of " + String.join(", ", locks), () -> {
			}, () -> {
			});
		}
		catch (SQLException ex) {
			// Another fault ends the transaction, or keeps it from beginning.
		}
	}

}

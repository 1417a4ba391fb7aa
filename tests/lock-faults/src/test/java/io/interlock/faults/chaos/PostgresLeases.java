package io.interlock.faults.chaos;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.interlock.faults.chaos.Fault.Lane;
import io.interlock.faults.worker.Fleet;
import io.interlock.faults.worker.WorkerProcess;
import io.interlock.jdbc.JdbcLeaseStore;
import io.interlock.jdbc.LockDatabase;
import io.interlock.testsupport.postgres.PostgresServer;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * Leases in PostgreSQL.
 */
final class PostgresLeases extends LeaseServer {

	private final PostgresServer server;

	private final DataSource database;

	private final LockedRows lockedRows;

	private final PoisonedRows poisonedRows;

	PostgresLeases() {
		this.server = PostgresServer.start(environment());
		this.database = new DriverManagerDataSource(this.server.url() + "&user=postgres&socketTimeout=60");
		this.lockedRows = new LockedRows(this.database);
		this.poisonedRows = new PoisonedRows(this.database);
		try (Connection connection = this.database.getConnection()) {
			ScriptUtils.executeSqlScript(connection,
					new ClassPathResource("schema-postgresql.sql", JdbcLeaseStore.class));
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	int port() {
		return Integer.parseInt(this.server.url().replaceAll(".*:(\\d+)/.*", "$1"));
	}

	@Override
	String address(int port) {
		return this.server.url().replaceFirst(":\\d+/", ":" + port + "/") + "&user=postgres";
	}

	@Override
	void kill() {
		this.server.stop();
	}

	@Override
	void restart() {
		this.server.restart();
	}

	@Override
	void pause() {
		this.server.pause();
	}

	@Override
	void resume() {
		this.server.resume();
	}

	@Override
	List<Fault> faults() {
		List<Fault> faults = super.faults();
		faults.add(this.lockedRows.one());
		faults.add(this.lockedRows.several());
		faults.add(this.poisonedRows.fault());
		faults.add(new Fault("POOL_EXHAUSTED", Lane.LINKS, 500, 8000, PostgresLeases::exhaustPool));
		faults.add(new Fault("POOL_OF_LOCKS_EXHAUSTED", Lane.LINKS, 500, 8000, PostgresLeases::exhaustPoolOfLocks));
		return faults;
	}

	@Override
	List<Fleet> members() {
		return Stream.concat(super.members().stream(), Stream.of(Fleet.BORROWING)).toList();
	}

	/**
	 * Exhaust the pool of an application whose locks have connections of their own, which
	 * costs none of them.
	 */
	private static void exhaustPool(Site site) throws InterruptedException {
		WorkerProcess sought = site.worker();
		WorkerProcess worker = (sought.fleet() != Fleet.BORROWING) ? sought
				: site.worker((fleet) -> fleet != Fleet.BORROWING);
		site.onPool(worker, "pool in " + worker);
	}

	private static void exhaustPoolOfLocks(Site site) throws InterruptedException {
		WorkerProcess worker = site.worker((fleet) -> fleet == Fleet.BORROWING);
		site.onPool(worker, worker.toString());
	}

	@Override
	long time() throws SQLException {
		return Long.parseLong(query("SELECT " + LockDatabase.POSTGRESQL.clock()).get(0)) * 1000;
	}

	@Override
	List<String> left() throws SQLException {
		return query("""
				SELECT lock_name || ' of ' || owner FROM interlock_lock WHERE owner IS NOT NULL AND lease_end > %1$s
				UNION SELECT lock_name || ' for ' || contender FROM interlock_contender c
				JOIN interlock_lock l ON c.lock_id = l.lock_id WHERE c.lease_end > %1$s"""
			.formatted(LockDatabase.POSTGRESQL.clock()));
	}

	private List<String> query(String sql) throws SQLException {
		List<String> rows = new ArrayList<>();
		try (Connection connection = this.database.getConnection();
				Statement statement = connection.createStatement();
				ResultSet result = statement.executeQuery(sql)) {
			while (result.next()) {
				rows.add(result.getString(1));
			}
		}
		return rows;
	}

	@Override
	public void close() {
		this.server.close();
		super.close();
	}

}

package io.interlock.benchmark.store;

import java.nio.file.Path;
import java.util.Objects;

import javax.sql.DataSource;

import io.interlock.jdbc.JdbcLeaseStore;
import io.interlock.testsupport.postgres.PostgresServer;

import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * A PostgreSQL server, which forces each commit to disk, with the tables of all
 * contestants.
 */
final class Postgres implements StoreServer {

	private final PostgresServer server;

	Postgres(Path directory) {
		this.server = PostgresServer.start(directory);
		try {
			createTables();
		}
		catch (RuntimeException ex) {
			this.server.close();
			throw ex;
		}
	}

	private void createTables() {
		Resource interlock = new ClassPathResource("schema-postgresql.sql", JdbcLeaseStore.class);
		Resource springIntegration = new ClassPathResource("org/springframework/integration/jdbc/schema-postgresql.sql",
				JdbcLockRegistry.class.getClassLoader());
		Resource shedLock = new ClassPathResource("shedlock.sql", Postgres.class);
		DatabasePopulatorUtils.execute(new ResourceDatabasePopulator(interlock, springIntegration, shedLock),
				dataSource());
	}

	@Override
	public String address() {
		return this.server.url();
	}

	@Override
	public void kill() {
		this.server.stop();
	}

	@Override
	public void recover() {
		this.server.restart();
	}

	@Override
	public long requests() {
		return count("SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database");
	}

	@Override
	public long entries() {
		return count("SELECT (SELECT count(*) FROM interlock_lock) + (SELECT count(*) FROM interlock_contender)");
	}

	private long count(String query) {
		return Objects.requireNonNull(new JdbcTemplate(dataSource()).queryForObject(query, Long.class));
	}

	private DataSource dataSource() {
		return new DriverManagerDataSource(this.server.url(), "postgres", "");
	}

	@Override
	public String describe() {
		return PostgresServer.version();
	}

	@Override
	public void close() {
		this.server.close();
	}

}

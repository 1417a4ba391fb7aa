package io.interlock.transaction;

import java.util.UUID;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * An H2 database behind a pool, with one table.
 */
final class Database implements AutoCloseable {

	private final HikariDataSource pool;

	private final JdbcClient client;

	Database(int connections) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
		config.setMaximumPoolSize(connections);
		config.setConnectionTimeout(10_000);
		this.pool = new HikariDataSource(config);
		this.client = JdbcClient.create(this.pool);
		this.client.sql("CREATE TABLE seat (id INT PRIMARY KEY)").update();
	}

	HikariDataSource pool() {
		return this.pool;
	}

	void insert(int id) {
		this.client.sql("INSERT INTO seat (id) VALUES (:id)").param("id", id).update();
	}

	boolean contains(int id) {
		return this.client.sql("SELECT COUNT(*) FROM seat WHERE id = :id")
			.param("id", id)
			.query(Integer.class)
			.single() == 1;
	}

	int connectionsInUse() {
		return this.pool.getHikariPoolMXBean().getActiveConnections();
	}

	@Override
	public void close() {
		this.client.sql("SHUTDOWN").update();
		this.pool.close();
	}

}

package io.interlock.jdbc;

import javax.sql.DataSource;

import io.interlock.testing.process.SharedCounter;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A counter in the only row of a table.
 */
final class JdbcCounter implements SharedCounter {

	private final JdbcClient client;

	JdbcCounter(DataSource dataSource) {
		this.client = JdbcClient.create(dataSource);
	}

	JdbcCounter create() {
		this.client.sql("CREATE TABLE counter (value INTEGER)").update();
		this.client.sql("INSERT INTO counter VALUES (0)").update();
		return this;
	}

	@Override
	public int read() {
		return this.client.sql("SELECT value FROM counter").query(Integer.class).single();
	}

	@Override
	public void write(int value) {
		this.client.sql("UPDATE counter SET value = ?").param(value).update();
	}

}

package io.interlock.jdbc;

import java.time.Duration;

import io.interlock.provider.LockProvider;
import io.interlock.testing.process.ProcessesContract;
import io.interlock.testing.process.SharedCounter;
import io.interlock.testsupport.postgres.PostgresServer;

/**
 * Tests for instances in JVMs of their own on PostgreSQL.
 */
class PostgresProcessesTests extends ProcessesContract {

	private final PostgresServer server = closeAfterTest(PostgresServer.start());

	private final JdbcInstances instances = instances(Duration.ofMinutes(1));

	PostgresProcessesTests() {
		this.instances.createTables();
	}

	private JdbcInstances instances(Duration lease) {
		return closeAfterTest(new JdbcInstances(LockDatabase.POSTGRESQL, this.server.url(), lease, 4));
	}

	@Override
	protected LockProvider instance(Duration lease) {
		return instances(lease).start();
	}

	@Override
	protected Class<?> worker() {
		return JdbcWorker.class;
	}

	@Override
	protected String address() {
		return this.server.url();
	}

	@Override
	protected SharedCounter counter() {
		return new JdbcCounter(this.instances.pool()).create();
	}

	@Override
	protected void crash() {
		this.server.stop();
	}

	@Override
	protected void restart() {
		this.server.restart();
	}

	@Override
	protected void pause() {
		this.server.pause();
	}

	@Override
	protected void resume() {
		this.server.resume();
	}

}

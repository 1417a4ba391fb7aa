package io.interlock.jdbc;

import java.time.Duration;

import io.interlock.LockProvider;
import io.interlock.test.contract.LockProviderOutageContract;
import io.interlock.testsupport.time.MovedTime;
import org.junit.jupiter.api.AfterEach;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The contract for locks in one of the databases, whose clock is moved with that of the
 * instances.
 */
abstract class JdbcLockProviderContract extends LockProviderOutageContract {

	/** Longer than a machine stalls. It costs nothing, because it never really passes. */
	private static final Duration LEASE = Duration.ofMinutes(1);

	private final MovedTime time = new MovedTime();

	private final JdbcInstances instances;

	private final JdbcClient client;

	JdbcLockProviderContract(LockDatabase database, String url, int poolSize) {
		this.instances = new JdbcInstances(database, url, LEASE, poolSize, this.time);
		this.client = JdbcClient.create(this.instances.pool());
	}

	/**
	 * Return the instances that a test starts.
	 */
	final JdbcInstances instances() {
		return this.instances;
	}

	@AfterEach
	void close() {
		this.instances.close();
		this.time.close();
	}

	@Override
	protected LockProvider startInstance() {
		return this.instances.start();
	}

	@Override
	protected Duration lease() {
		return LEASE;
	}

	@Override
	protected void passTime(Duration time) {
		this.time.advance(time, LEASE.dividedBy(50));
	}

	@Override
	protected int contenders(String name) {
		return JdbcInstances.contenders(this.client, name);
	}

	@Override
	protected boolean cutOff(LockProvider instance) {
		this.instances.cutOff(instance);
		return true;
	}

}

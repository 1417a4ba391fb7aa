package io.interlock.jdbc;

import java.time.Duration;

import io.interlock.LockProvider;
import io.interlock.test.contract.LockProviderOutageContract;
import org.junit.jupiter.api.AfterEach;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The contract for locks in one of the databases.
 */
abstract class JdbcLockProviderContract extends LockProviderOutageContract {

	static final Duration LEASE = Duration.ofSeconds(10);

	private final JdbcInstances instances;

	private final JdbcClient client;

	JdbcLockProviderContract(JdbcInstances instances) {
		this.instances = instances;
		this.client = JdbcClient.create(instances.pool());
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
	protected int contenders(String name) {
		return JdbcInstances.contenders(this.client, name);
	}

	@Override
	protected boolean cutOff(LockProvider instance) {
		this.instances.cutOff(instance);
		return true;
	}

}

package io.interlock.redis;

import java.time.Duration;

import io.interlock.provider.LockProvider;
import io.interlock.test.contract.LockProviderOutageContract;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.time.MovedTime;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/**
 * The contract for locks in Redis, on a server that is killed and started again with its
 * data, and whose clock is moved with that of the instances.
 */
class RedisLockProviderContractTests extends LockProviderOutageContract {

	/** Longer than a machine stalls. It costs nothing, because it never really passes. */
	private static final Duration LEASE = Duration.ofMinutes(1);

	private static RedisServer server;

	private final MovedTime time = new MovedTime();

	private final RedisInstances instances = new RedisInstances(LEASE, Duration.ofMillis(20), this.time);

	@BeforeAll
	static void startServer() {
		server = RedisServer.start("--appendonly", "yes", "--appendfsync", "always");
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@AfterEach
	void close() {
		this.instances.close();
		this.time.close();
	}

	@Override
	protected LockProvider startInstance() {
		return this.instances.startBehindProxy(server);
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
		return RedisInstances.contenders(server, name, this.time.moved());
	}

	@Override
	protected boolean cutOff(LockProvider instance) {
		this.instances.proxyOf(instance).refuse();
		return true;
	}

	@Override
	protected void stopStore() {
		server.kill();
	}

	@Override
	protected void startStore() {
		server.restart();
	}

}

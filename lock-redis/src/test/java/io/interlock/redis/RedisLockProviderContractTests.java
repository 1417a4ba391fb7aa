package io.interlock.redis;

import java.time.Duration;

import io.interlock.LockProvider;
import io.interlock.test.contract.LockProviderOutageContract;
import io.interlock.testsupport.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/**
 * The contract for locks in Redis, on a server that is killed and started again with its
 * data.
 */
class RedisLockProviderContractTests extends LockProviderOutageContract {

	private static RedisServer server;

	private final RedisInstances instances = new RedisInstances(lease());

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
	}

	@Override
	protected LockProvider startInstance() {
		return this.instances.startBehindProxy(server);
	}

	@Override
	protected Duration lease() {
		return Duration.ofSeconds(10);
	}

	@Override
	protected int contenders(String name) {
		return RedisInstances.contenders(server, name);
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

package io.interlock.redis;

import java.time.Duration;

import io.interlock.admin.LeaseNodes;
import io.interlock.admin.OperatorsContract;
import io.interlock.testsupport.redis.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/**
 * What operators see and do in Redis.
 */
class RedisOperatorsViewTests extends OperatorsContract {

	private static final Duration LEASE = Duration.ofSeconds(9);

	private static RedisServer server;

	private final RedisInstances instances = new RedisInstances(LEASE);

	private final LeaseNodes nodes = new LeaseNodes();

	@BeforeAll
	static void startServer() {
		server = RedisServer.start();
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
	protected Node start() {
		return this.nodes.start(LEASE, (settings) -> this.instances.start(server, settings));
	}

}

package io.interlock.redis;

import java.time.Duration;

import io.interlock.provider.LockProvider;
import io.interlock.testing.process.ProcessesContract;
import io.interlock.testing.process.SharedCounter;
import io.interlock.testsupport.redis.RedisServer;

/**
 * Tests for instances in JVMs of their own on a server that forgets nothing.
 */
class RedisProcessesTests extends ProcessesContract {

	private final RedisServer server = closeAfterTest(
			RedisServer.start("--appendonly", "yes", "--appendfsync", "always"));

	@Override
	protected LockProvider instance(Duration lease) {
		return closeAfterTest(new RedisInstances(lease)).start(this.server);
	}

	@Override
	protected Class<?> worker() {
		return RedisWorker.class;
	}

	@Override
	protected String address() {
		return Integer.toString(this.server.port());
	}

	@Override
	protected SharedCounter counter() {
		return new RedisCounter(closeAfterTest(new RedisInstances(Duration.ofMinutes(1)))
			.connections(RedisInstances.server(this.server.port())));
	}

	@Override
	protected void crash() {
		this.server.kill();
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

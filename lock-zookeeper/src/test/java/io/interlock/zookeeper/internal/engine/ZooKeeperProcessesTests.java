package io.interlock.zookeeper.internal.engine;

import java.nio.file.Path;
import java.time.Duration;

import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.testing.process.ProcessesContract;
import io.interlock.testing.process.SharedCounter;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import static org.awaitility.Awaitility.await;

/**
 * Tests for instances in JVMs of their own on ZooKeeper.
 */
class ZooKeeperProcessesTests extends ProcessesContract {

	private Server server;

	@BeforeEach
	void start(@TempDir Path directory) {
		this.server = closeAfterTest(Server.standalone(directory, ServerSettings.quick()));
	}

	private Instance connect(Duration session) {
		return closeAfterTest(Instance.connectedTo(address(), session));
	}

	@Override
	protected LockProvider instance(Duration lease) {
		return connect(lease).provider();
	}

	@Override
	protected Class<?> worker() {
		return ZooKeeperWorker.class;
	}

	@Override
	protected String address() {
		return this.server.connectString();
	}

	@Override
	protected SharedCounter counter() {
		return new ZooKeeperCounter(connect(Duration.ofMinutes(1)).client());
	}

	@Override
	protected void crash() {
		this.server.kill();
	}

	@Override
	protected void restart() {
		this.server.start();
		await().atMost(Duration.ofMinutes(1)).until(this.server::serves);
	}

	@Override
	protected void pause() {
		this.server.stop();
	}

	@Override
	protected void resume() {
		this.server.resume();
	}

	/** Its node stays if its session has outlived the silence. */
	@Override
	protected void endLost(LockGrant lost) {
		lost.release();
	}

}

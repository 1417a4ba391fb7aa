package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.Operation;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the end of an instance whose client is the application's and lives on: no
 * node stays in its session, whatever was not answered at that time.
 */
@Timeout(60)
@ExtendWith(SharedServer.class)
class ClosingTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("closing");

	private final LocalServer server;

	private ZooKeeperProxy proxy;

	private CuratorFramework client;

	private Instance instance;

	/** A handle that is left open stays with the thread of the tests that follow. */
	private @Nullable LockHandle held;

	ClosingTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() {
		this.proxy = ZooKeeperProxy.to(this.server.port());
		this.client = Instance.client(this.proxy.connectString(), Duration.ofSeconds(30));
		this.instance = Instance.on(this.client);
		this.instance.template().acquire(REQUEST).close();
	}

	@AfterEach
	void disconnect() {
		if (this.held != null) {
			this.held.close();
		}
		this.proxy.heal();
		this.client.close();
		this.proxy.close();
	}

	@Test
	@Proves(value = Promise.NOTHING_IS_LEFT_BEHIND, under = Fault.ANSWERS_ARE_MISSING,
			note = "on a client of the application")
	void creationThatIsAnsweredAfterTheEndLeavesNoNode() {
		this.proxy.holdReplies();
		LockAttempt attempt = this.instance.provider().attempt(REQUEST, LockCaller.current());
		awaitNode();
		this.instance.provider().close();
		assertThat(attempt.outcome()).isCompletedExceptionally();
		assertThat(this.server.contenders(REQUEST)).hasSize(1);
		this.proxy.heal();
		awaitNoNode();
	}

	@Test
	void creationWhoseAnswerIsLostAfterTheEndLeavesNoNode() throws Exception {
		this.proxy.holdReplies();
		this.instance.provider().attempt(REQUEST, LockCaller.current());
		awaitNode();
		this.instance.provider().close();
		cut();
		awaitNoNode();
	}

	@Test
	void releaseThatIsLostAfterTheEndLeavesNoNode() throws Exception {
		LockGrant held = this.instance.provider()
			.attempt(REQUEST, LockCaller.current())
			.outcome()
			.get(10, TimeUnit.SECONDS)
			.orElseThrow();
		this.proxy.holdRequests();
		held.release();
		this.instance.provider().close();
		cut();
		awaitNoNode();
	}

	@Test
	void holdThatEndsWithTheInstanceInAnOutageLeavesNoNode() {
		this.held = this.instance.template().acquire(REQUEST);
		this.proxy.refuse();
		await().until(() -> !this.client.getZookeeperClient().isConnected());
		this.instance.provider().close();
		this.proxy.heal();
		awaitNoNode();
	}

	@Test
	void instanceThatOwesNothingStopsAtOnce() {
		this.instance.provider().close();
		assertThat(this.instance.provider().session().sessionId()).isNull();
	}

	@Test
	void instanceThatOwesSomethingStopsWithItsClient() {
		this.held = this.instance.template().acquire(REQUEST.withKey("left"));
		this.proxy.refuse();
		this.instance.provider().close();
		assertThat(this.instance.provider().pendingReleases()).isEqualTo(1);
		this.client.close();
		await().untilAsserted(() -> assertThat(this.instance.provider().pendingReleases()).isZero());
		assertThat(this.instance.provider().session().sessionId()).isNull();
	}

	private void cut() throws Exception {
		long session = this.client.getZookeeperClient().getZooKeeper().getSessionId();
		this.proxy.cut();
		this.proxy.heal();
		await().until(() -> this.client.getZookeeperClient().getZooKeeper().getSessionId() == session
				&& this.client.getZookeeperClient().isConnected());
	}

	private void awaitNode() {
		await().until(() -> this.proxy.count(Operation.CREATE2) >= 2 && this.server.contenders(REQUEST).size() == 1);
	}

	private void awaitNoNode() {
		await().untilAsserted(() -> assertThat(this.server.contenders(REQUEST)).isEmpty());
	}

}

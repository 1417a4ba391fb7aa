package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.Operation;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryForever;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for CURATOR-604: the connection breaks after the node was created, the client
 * gets another session, and the old one with its node is still there for a while.
 */
@ExtendWith(SharedServer.class)
class ForeignSessionTests {

	private final LocalServer server;

	private LockRequest request;

	private ZooKeeperProxy proxy;

	ForeignSessionTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect(TestInfo test) {
		this.request = LockRequest.exclusive(test.getDisplayName()).withWaitTime(Duration.ofSeconds(20));
		this.proxy = ZooKeeperProxy.to(this.server.port());
	}

	@AfterEach
	void disconnect() {
		this.proxy.close();
	}

	@Test
	@Proves(value = Promise.EXCLUSION, under = Fault.CONNECTIONS_ARE_REFUSED, note = "while a new session begins")
	void nodeOfAnotherSessionIsNeverHandedOut() throws Exception {
		try (Instance instance = Instance.connectedTo(this.proxy.connectString())) {
			instance.template().acquire(this.request.withKey("warm")).close();
			CompletableFuture<LockHandle> acquired = switchSessionsBeforeTheGrant(instance.client(),
					() -> instance.template().acquire(this.request));
			try (LockHandle handle = acquired.get(20, TimeUnit.SECONDS)) {
				Stat node = onlyNode();
				assertThat(node.getEphemeralOwner()).isEqualTo(sessionOf(instance.client()));
				assertThat(handle.fencingToken()).isEqualTo(node.getCzxid());
				handle.verify();
			}
		}
	}

	/**
	 * The control: the guard is needed as long as this passes.
	 */
	@Test
	void plainMutexHandsOutTheNodeOfAnotherSession() throws Exception {
		// However long the cut lasts, the mutex asks again.
		try (CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(this.proxy.connectString())
			.sessionTimeoutMs(30_000)
			.retryPolicy(new RetryForever(50))
			.ensembleTracker(false)
			.build()) {
			client.start();
			InterProcessMutex mutex = new InterProcessMutex(client, LocalServer.pathOf(this.request));
			CompletableFuture<Boolean> acquired = switchSessionsBeforeTheGrant(client, () -> {
				mutex.acquire();
				return true;
			});
			assertThat(acquired.get(20, TimeUnit.SECONDS)).isTrue();
			assertThat(onlyNode().getEphemeralOwner()).isNotEqualTo(sessionOf(client));
		}
	}

	private <T> CompletableFuture<T> switchSessionsBeforeTheGrant(CuratorFramework client, Callable<T> acquisition)
			throws Exception {
		client.checkExists().forPath("/");
		long before = sessionOf(client);
		CountDownLatch cut = new CountDownLatch(1);
		this.proxy.onNextReply(Operation.GET_CHILDREN2, () -> {
			this.proxy.refuse();
			cut.countDown();
		});
		CompletableFuture<T> acquired = CompletableFuture.supplyAsync(() -> {
			try {
				return acquisition.call();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		});
		assertThat(cut.await(10, TimeUnit.SECONDS)).isTrue();
		// Curator would take an event that it handles later for one of the next handle.
		await().until(() -> !client.getZookeeperClient().isConnected());
		client.getZookeeperClient().reset();
		this.proxy.heal();
		await().until(() -> client.getZookeeperClient().isConnected() && sessionOf(client) != before);
		return acquired;
	}

	private static long sessionOf(CuratorFramework client) throws Exception {
		return client.getZookeeperClient().getZooKeeper().getSessionId();
	}

	private Stat onlyNode() throws Exception {
		assertThat(this.server.contenders(this.request)).hasSize(1);
		return this.server.observer()
			.checkExists()
			.forPath(LocalServer.pathOf(this.request) + "/" + this.server.contenders(this.request).get(0));
	}

}

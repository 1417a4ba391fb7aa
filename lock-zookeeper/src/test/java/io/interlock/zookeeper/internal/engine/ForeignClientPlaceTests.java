package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the place in the queue on a client of the application, whose connection
 * timeout and retry policy are not ours.
 */
@ExtendWith(SharedServer.class)
@Timeout(60)
class ForeignClientPlaceTests {

	private static final Duration CUT = Duration.ofSeconds(3);

	private final LocalServer server;

	private ZooKeeperProxy proxy;

	private LockRequest request;

	private Instance holder;

	ForeignClientPlaceTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect(TestInfo test) {
		this.proxy = ZooKeeperProxy.to(this.server.port());
		this.request = LockRequest.exclusive(test.getDisplayName()).withWaitTime(Duration.ofSeconds(30));
		this.holder = Instance.connectedTo(this.server.connectString());
	}

	@AfterEach
	void disconnect() {
		this.holder.close();
		this.proxy.close();
	}

	@Test
	@Proves(value = Promise.THE_PLACE_IN_THE_QUEUE, under = Fault.CONNECTIONS_ARE_REFUSED,
			note = "on a client of the application")
	void placeIsKeptOverACutShorterThanTheConnectionTimeout() throws Exception {
		assertThat(waitOverACut(CUT.multipliedBy(4), new RetryOneTime(50))).isTrue();
	}

	/**
	 * The other side of the limit, so that the test above is known to be about it.
	 */
	@Test
	@Proves(value = Promise.THE_PLACE_IN_THE_QUEUE, under = Fault.CONNECTIONS_ARE_REFUSED,
			note = "on a client of the application")
	void placeIsKeptOverACutBeyondConnectionTimeoutAndRetries() throws Exception {
		assertThat(waitOverACut(CUT.dividedBy(10), new RetryNTimes(0, 0))).isTrue();
	}

	/**
	 * Wait behind a holder while the connection is cut for a while.
	 * @param connectionTimeout connection timeout of the client
	 * @param retryPolicy retry policy of the client
	 * @return whether the lock was granted with the node that was queued before
	 */
	private boolean waitOverACut(Duration connectionTimeout, RetryPolicy retryPolicy) throws Exception {
		try (CuratorFramework client = clientOfTheApplication(connectionTimeout, retryPolicy);
				Instance instance = Instance.on(client)) {
			LockHandle held = this.holder.template().acquire(this.request);
			CompletableFuture<LockHandle> waiting = CompletableFuture
				.supplyAsync(() -> instance.template().acquire(this.request));
			await().until(() -> this.server.contenders(this.request).size() == 2);
			List<String> before = this.server.contenders(this.request);
			this.proxy.refuse();
			await().during(CUT).until(() -> !client.getZookeeperClient().isConnected());
			this.proxy.heal();
			await().until(client.getZookeeperClient()::isConnected);
			held.close();
			try (LockHandle granted = waiting.get(30, TimeUnit.SECONDS)) {
				assertThat(granted.isValid()).isTrue();
				return before.containsAll(this.server.contenders(this.request));
			}
		}
	}

	private CuratorFramework clientOfTheApplication(Duration connectionTimeout, RetryPolicy retryPolicy) {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(this.proxy.connectString())
			.sessionTimeoutMs(20_000)
			.connectionTimeoutMs((int) connectionTimeout.toMillis())
			.retryPolicy(retryPolicy)
			.ensembleTracker(false)
			.build();
		client.start();
		return client;
	}

}

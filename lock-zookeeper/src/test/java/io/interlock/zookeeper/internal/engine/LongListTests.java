package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.admin.LockInspector.Query;
import io.interlock.admin.TooManyLocksException;
import io.interlock.testsupport.proxy.Operation;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.zookeeper.internal.operator.ZooKeeperLockInspector;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for queues whose list is longer than the client takes ({@code jute.maxbuffer}):
 * reading one costs the client its connection.
 */
@ExtendWith(SharedServer.class)
class LongListTests {

	private static final int MAX_BYTES = 4096;

	private static final int CONTENDERS = 100;

	private final LocalServer server;

	private ZooKeeperProxy proxy;

	private CuratorFramework client;

	private Instance instance;

	LongListTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() {
		this.proxy = ZooKeeperProxy.to(this.server.port());
		ZKClientConfig config = new ZKClientConfig();
		config.setProperty(ZKClientConfig.JUTE_MAXBUFFER, Integer.toString(MAX_BYTES));
		this.client = CuratorFrameworkFactory.builder()
			.connectString(this.proxy.connectString())
			.sessionTimeoutMs(10_000)
			.connectionTimeoutMs(2000)
			.zkClientConfig(config)
			.retryPolicy(new ExponentialBackoffRetry(50, 3))
			.ensembleTracker(false)
			.build();
		this.client.start();
		this.instance = Instance.on(this.client);
	}

	@AfterEach
	void disconnect() {
		this.instance.close();
		this.proxy.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "0s", "10s" })
	void attemptsFailAndTheConnectionAndOtherHoldsStay(String waitTime) throws Exception {
		LockRequest crowded = LockRequest.exclusive("crowded")
			.withKey(waitTime)
			.withWaitTime(Duration.parse("PT" + waitTime));
		List<String> others = crowd(crowded);
		try (LockHandle held = this.instance.template().acquire(LockRequest.exclusive("beside").withKey(waitTime))) {
			// The first list tells, and costs one connection: a try may be over before
			// that.
			await().untilAsserted(() -> assertThatItFails(crowded));
			await().until(held::isValid);
			this.proxy.forget();
			for (int i = 0; i < 10; i++) {
				assertThatItFails(crowded);
				assertThat(held.isValid()).isTrue();
			}
			assertThat(this.proxy.count(Operation.CONNECT)).as("connections made anew").isZero();
		}
		for (String other : others) {
			this.server.observer().delete().forPath(other);
		}
		this.instance.template().acquire(crowded).close();
	}

	@Test
	void listThatIsLostButFitsIsReadAgain() throws Exception {
		LockRequest request = LockRequest.exclusive("fits");
		this.instance.template().acquire(request).close();
		this.proxy.loseNextReply(Operation.GET_CHILDREN2);
		this.instance.template().acquire(request).close();
	}

	@Test
	void moreLocksThanAListTakesAreNoOutageAndOneIsFound() throws Exception {
		for (int i = 0; i < 20; i++) {
			this.server.observer().createContainers("/many/" + i);
		}
		ZooKeeperLockInspector inspector = new ZooKeeperLockInspector(this.client, "/many", Instance.PATIENCE);
		assertThatExceptionOfType(TooManyLocksException.class)
			.isThrownBy(() -> inspector.locks(new Query(null, null, 0, 10, 10)))
			.withMessageContaining("There are 20 nodes below /many");
		assertThat(inspector.locks(new Query("any", "1", 0, 10, 10)).total()).isZero();
	}

	private void assertThatItFails(LockRequest request) {
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.instance.template().acquire(request))
			.withMessageContaining("the list of " + LocalServer.pathOf(request) + " is longer")
			.withMessageContaining("jute.maxbuffer")
			.withMessageMatching("(?s).* because 1\\d\\d contend\\. .*");
	}

	private List<String> crowd(LockRequest request) throws Exception {
		CuratorFramework observer = this.server.observer();
		observer.createContainers(LocalServer.pathOf(request));
		List<String> nodes = new ArrayList<>();
		for (int i = 0; i < CONTENDERS; i++) {
			nodes.add(observer.create()
				.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
				.forPath(LocalServer.pathOf(request) + "/_c_2c5b4e8e-6e0b-4c5c-9d0e-1b1a7c3f7a55-lock-"));
		}
		return nodes;
	}

}

package io.interlock.zookeeper.internal.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.Operation;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.zookeeper.internal.session.ClientHandle;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for nodes with more data than the client takes ({@code jute.maxbuffer}): reading
 * one costs the client its connection.
 */
@ExtendWith({ SharedServer.class, OutputCaptureExtension.class })
@Timeout(60)
class LargeNodeTests {

	/** The server takes a request with as much data, and its answer is longer. */
	private static final byte[] DATA = new byte[0xfffff - 60];

	private final LocalServer server;

	private ZooKeeperProxy proxy;

	private Instance instance;

	LargeNodeTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() {
		this.proxy = ZooKeeperProxy.to(this.server.port());
		this.instance = Instance.connectedTo(this.proxy.connectString());
	}

	@AfterEach
	void disconnect() {
		this.instance.close();
		this.proxy.close();
	}

	@Test
	@Proves(value = Promise.NOTHING_IS_LEFT_BEHIND, under = Fault.OTHER_CLIENTS_USE_THE_PATH)
	void nodeInFrontCostsNoConnection(CapturedOutput output) throws Exception {
		LockRequest blocked = LockRequest.exclusive("l");
		String path = this.server.observer()
			.create()
			.creatingParentsIfNeeded()
			.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
			.forPath(LocalServer.pathOf(blocked) + "/lock-");
		this.server.observer().setData().forPath(path, DATA);
		this.instance.template().acquire(LockRequest.exclusive("warm")).close();
		this.proxy.forget();
		try (LockHandle held = this.instance.template().acquire(LockRequest.exclusive("beside"))) {
			CompletableFuture<LockHandle> waiting = CompletableFuture
				.supplyAsync(() -> this.instance.template().acquire(blocked));
			// The watches on the own node, on that in front, and on the hold.
			await().until(() -> this.proxy.count(Operation.EXISTS) >= 3 || this.proxy.count(Operation.CONNECT) > 0);
			assertThat(held.isValid()).isTrue();
			assertThat(waiting).isNotDone();
			this.server.observer().delete().forPath(path);
			waiting.get(10, TimeUnit.SECONDS).close();
			assertThat(held.isValid()).isTrue();
			assertThat(this.proxy.count(Operation.CONNECT)).as("connections made anew").isZero();
		}
		assertThat(output.getOut().split("Lock node " + path + " has " + DATA.length + " bytes", -1)).hasSize(2);
	}

	@Test
	@Proves(Promise.NOTHING_IS_LEFT_BEHIND)
	void watchThatFindsNoNodeIsRemoved() throws Exception {
		try (LocalServer own = new LocalServer(); Instance other = Instance.connectedTo(own.connectString())) {
			other.template().acquire(LockRequest.exclusive("warm")).close();
			HandleRequests requests = new HandleRequests(other.client().getZookeeperClient().getZooKeeper(),
					new ClientHandle(other.client()));
			CompletableFuture<Object> answered = new CompletableFuture<>();
			CompletableFuture<EventType> removed = new CompletableFuture<>();
			int before = own.watches();
			requests.watch(Instance.ROOT + "/missing", answered::complete, removed::complete);
			assertThat(answered.get(10, TimeUnit.SECONDS)).hasToString("NONODE");
			assertThat(removed.get(10, TimeUnit.SECONDS)).isEqualTo(EventType.DataWatchRemoved);
			assertThat(own.watches()).isEqualTo(before);
		}
	}

}

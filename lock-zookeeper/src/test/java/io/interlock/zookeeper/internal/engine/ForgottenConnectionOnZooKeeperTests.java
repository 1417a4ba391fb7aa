package io.interlock.zookeeper.internal.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import io.interlock.zookeeper.internal.session.ForgottenConnection;
import org.apache.curator.CuratorZookeeperClient;
import org.apache.curator.drivers.AdvancedTracerDriver;
import org.apache.curator.drivers.EventTrace;
import org.apache.curator.drivers.OperationTrace;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ForgottenConnection}: a client whose last handle has the last word.
 */
@ExtendWith(SharedServer.class)
class ForgottenConnectionOnZooKeeperTests {

	private final LocalServer server;

	private final CompletableFuture<Boolean> disconnecting = new CompletableFuture<>();

	private final CompletableFuture<Boolean> mayDisconnect = new CompletableFuture<>();

	private LockRequest request;

	private Instance instance;

	ForgottenConnectionOnZooKeeperTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect(TestInfo test) {
		this.request = LockRequest.exclusive(test.getDisplayName());
		this.instance = Instance.connectedTo(this.server.connectString());
	}

	@AfterEach
	void disconnect() {
		this.mayDisconnect.complete(true);
		this.instance.close();
	}

	@Test
	@Proves(value = Promise.THE_PLACE_IN_THE_QUEUE, under = Fault.AN_EVENT_IS_HANDLED_LATE)
	void locksAreGrantedAgainInTheSameSession() throws Exception {
		this.instance.template().acquire(this.request).close();
		CuratorZookeeperClient connection = this.instance.client().getZookeeperClient();
		forgetTheNextConnection(connection);
		long session = connection.getZooKeeper().getSessionId();
		Background<Boolean> next = Background.start(() -> {
			try (LockHandle lock = this.instance.template().acquire(this.request)) {
				return lock.isValid();
			}
		});
		await().until(() -> !next.isRunning());
		assertThat(next.join()).isTrue();
		assertThat(connection.isConnected()).isTrue();
		assertThat(connection.getZooKeeper().getSessionId()).isEqualTo(session);
	}

	/**
	 * Let Curator handle the interruption of this connection after it has made another.
	 */
	private void forgetTheNextConnection(CuratorZookeeperClient connection) throws Exception {
		// The connection may be found again before this thread looks.
		CountDownLatch forgotten = new CountDownLatch(1);
		this.instance.client().getConnectionStateListenable().addListener((client, state) -> {
			if (state == ConnectionState.SUSPENDED) {
				forgotten.countDown();
			}
		});
		connection.setTracerDriver(new SlowToTrace());
		interrupt(connection.getZooKeeper());
		this.disconnecting.join();
		connection.reset();
		await().until(connection::isConnected);
		this.mayDisconnect.complete(true);
		assertThat(forgotten.await(10, TimeUnit.SECONDS)).isTrue();
	}

	private static void interrupt(ZooKeeper zooKeeper) throws Exception {
		zooKeeper.getTestable().closeSocket();
		zooKeeper.exists("/", false, (code, path, context, stat) -> {
		}, null);
	}

	private final class SlowToTrace extends AdvancedTracerDriver {

		@Override
		public void addTrace(OperationTrace trace) {
		}

		@Override
		public void addEvent(EventTrace trace) {
			if (trace.getName().equals(KeeperState.Disconnected.name())) {
				ForgottenConnectionOnZooKeeperTests.this.disconnecting.complete(true);
				ForgottenConnectionOnZooKeeperTests.this.mayDisconnect.join();
			}
		}

	}

}

package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.Operation;
import io.interlock.testsupport.proxy.Ports;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.zookeeper.GuardedTransaction;
import io.interlock.zookeeper.TransactionInDoubtException;
import io.interlock.zookeeper.ZooKeeperGrant;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.api.transaction.OperationType;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link GuardedTransaction} on a real server.
 */
class GuardedTransactionTests {

	private static final LockRequest LEADER = LockRequest.exclusive("leader");

	private static TestingServer server;

	@BeforeAll
	static void start() throws Exception {
		server = new TestingServer(Ports.free());
	}

	@AfterAll
	static void stop() throws Exception {
		server.close();
	}

	@Test
	void writesWhileTheLockIsHeld() throws Exception {
		try (Instance instance = Instance.connectedTo(server.getConnectString())) {
			CuratorFramework client = instance.client();
			client.create().forPath("/config", "old".getBytes());
			try (LockHandle lock = instance.template().acquire(LEADER)) {
				GuardedTransaction.commit(client, lock,
						List.of(client.transactionOp().setData().forPath("/config", "new".getBytes())));
			}
			assertThat(client.getData().forPath("/config")).asString().isEqualTo("new");
		}
	}

	@Test
	void returnsTheResultsOfTheOperationsOnly() throws Exception {
		try (Instance instance = Instance.connectedTo(server.getConnectString());
				LockHandle lock = instance.template().acquire(LEADER)) {
			List<CuratorTransactionResult> results = GuardedTransaction.commit(instance.client(), lock,
					List.of(create(instance.client(), "/a"), create(instance.client(), "/b")));
			assertThat(results).extracting(CuratorTransactionResult::getForPath).containsExactly("/a", "/b");
		}
	}

	@Test
	@Proves(value = Promise.THE_FENCING_TOKEN, under = Fault.A_NODE_IS_DELETED)
	void writesNothingWhenTheLockNodeIsGone() throws Exception {
		try (Instance instance = Instance.connectedTo(server.getConnectString());
				LockHandle lock = instance.template().acquire(LEADER)) {
			CuratorFramework client = instance.client();
			client.delete().forPath(nodeOf(lock));
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> GuardedTransaction.commit(client, lock, List.of(create(client, "/lost"))))
				.satisfies((ex) -> assertThat(ex.getSuppressed()).hasSize(1));
			assertThat(client.checkExists().forPath("/lost")).isNull();
			assertThat(lock.isValid()).isFalse();
		}
	}

	@Test
	void writesNothingAfterTheRelease() throws Exception {
		try (Instance instance = Instance.connectedTo(server.getConnectString())) {
			LockHandle lock = instance.template().acquire(LEADER);
			lock.close();
			assertThatIllegalStateException()
				.isThrownBy(() -> GuardedTransaction.commit(instance.client(), lock,
						List.of(create(instance.client(), "/late"))))
				.withMessageContaining("released");
			assertThat(instance.client().checkExists().forPath("/late")).isNull();
		}
	}

	@Test
	void lettingTheCallerComposeFailsWithNoNode() throws Exception {
		try (Instance instance = Instance.connectedTo(server.getConnectString())) {
			CuratorFramework client = instance.client();
			LockHandle lock = instance.template().acquire(LEADER);
			CuratorOp guard = GuardedTransaction.check(client, lock);
			client.transaction().forOperations(guard, create(client, "/composed"));
			assertThat(client.checkExists().forPath("/composed")).isNotNull();
			lock.close();
			assertThatExceptionOfType(KeeperException.NoNodeException.class)
				.isThrownBy(() -> client.transaction().forOperations(guard, create(client, "/refused")));
			assertThat(client.checkExists().forPath("/refused")).isNull();
		}
	}

	@Test
	void throwsTheFailureOfAnOperationAsItIs() throws Exception {
		try (Instance instance = Instance.connectedTo(server.getConnectString());
				LockHandle lock = instance.template().acquire(LEADER)) {
			assertThatExceptionOfType(KeeperException.NoNodeException.class)
				.isThrownBy(() -> GuardedTransaction.commit(instance.client(), lock,
						List.of(instance.client().transactionOp().delete().forPath("/missing"))));
			assertThat(lock.isValid()).isTrue();
		}
	}

	@Test
	void findsTheLockNodeFromAClientWithANamespace() throws Exception {
		try (Instance instance = Instance.connectedTo(server.getConnectString());
				LockHandle lock = instance.template().acquire(LEADER)) {
			CuratorFramework namespaced = instance.client().usingNamespace("shop");
			GuardedTransaction.commit(namespaced, lock, List.of(create(namespaced, "/open")));
			assertThat(instance.client().checkExists().forPath("/shop/open")).isNotNull();
		}
	}

	@Test
	void writesThroughAnotherSession() throws Exception {
		try (Instance instance = Instance.connectedTo(server.getConnectString());
				CuratorFramework other = Instance.client(server.getConnectString(), Duration.ofSeconds(30));
				LockHandle lock = instance.template().acquire(LEADER)) {
			assertThat(other.blockUntilConnected(10, TimeUnit.SECONDS)).isTrue();
			GuardedTransaction.commit(other, lock, List.of(create(other, "/other")));
			assertThat(instance.client().checkExists().forPath("/other")).isNotNull();
		}
	}

	@Test
	void saysWhenTheClientIsConnectedToAnotherEnsemble() throws Exception {
		try (TestingServer elsewhere = new TestingServer(Ports.free());
				Instance instance = Instance.connectedTo(server.getConnectString());
				CuratorFramework other = Instance.client(elsewhere.getConnectString(), Duration.ofSeconds(30));
				LockHandle lock = instance.template().acquire(LEADER)) {
			assertThat(other.blockUntilConnected(10, TimeUnit.SECONDS)).isTrue();
			assertThatIllegalStateException()
				.isThrownBy(() -> GuardedTransaction.commit(other, lock, List.of(create(other, "/other"))))
				.withMessageContaining("must be connected to the ensemble and chroot of the lock");
			assertThat(lock.isValid()).isTrue();
		}
	}

	@Test
	void lostReplyIsAnAnswerOfItsOwnAndNothingIsSentTwice() throws Exception {
		try (Instance instance = Instance.connectedTo(server.getConnectString());
				ZooKeeperProxy proxy = ZooKeeperProxy.to(server.getPort());
				CuratorFramework writer = Instance.client(proxy.connectString(), Duration.ofSeconds(30));
				LockHandle lock = instance.template().acquire(LEADER)) {
			writer.create().forPath("/once");
			proxy.loseNextReply(Operation.MULTI);
			assertThatExceptionOfType(TransactionInDoubtException.class)
				.isThrownBy(() -> GuardedTransaction.commit(writer, lock, List.of(numbered(writer, "/once/entry-"))))
				.withMessageContaining("lock leader")
				.withMessageContaining("may have been committed")
				.withCauseInstanceOf(KeeperException.ConnectionLossException.class);
			assertThat(writer.getChildren().forPath("/once")).hasSize(1);
			assertThat(lock.isValid()).isTrue();
		}
	}

	@Test
	void lossAfterACommitWhoseReplyIsLostIsNoRefusal() throws Exception {
		try (Instance instance = Instance.connectedTo(server.getConnectString());
				ZooKeeperProxy proxy = ZooKeeperProxy.to(server.getPort());
				CuratorFramework writer = Instance.client(proxy.connectString(), Duration.ofSeconds(30));
				LockHandle lock = instance.template().acquire(LEADER)) {
			writer.create().forPath("/committed");
			String node = nodeOf(lock);
			proxy.onNextReply(Operation.MULTI, () -> delete(instance.client(), node));
			proxy.loseNextReply(Operation.MULTI);
			assertThatExceptionOfType(TransactionInDoubtException.class).isThrownBy(
					() -> GuardedTransaction.commit(writer, lock, List.of(numbered(writer, "/committed/entry-"))));
			assertThat(writer.getChildren().forPath("/committed")).hasSize(1);
		}
	}

	@Test
	void interruptedCallerDoesNotKnowEither() throws Exception {
		try (Instance instance = Instance.connectedTo(server.getConnectString());
				ZooKeeperProxy proxy = ZooKeeperProxy.to(server.getPort());
				CuratorFramework writer = Instance.client(proxy.connectString(), Duration.ofSeconds(30));
				LockHandle lock = instance.template().acquire(LEADER)) {
			writer.checkExists().forPath("/");
			Thread caller = Thread.currentThread();
			proxy.onNextReply(Operation.MULTI, caller::interrupt);
			proxy.holdReplies();
			assertThatExceptionOfType(TransactionInDoubtException.class)
				.isThrownBy(() -> GuardedTransaction.commit(writer, lock, List.of(create(writer, "/interrupted"))))
				.withCauseInstanceOf(InterruptedException.class);
			assertThat(Thread.interrupted()).isTrue();
			assertThat(instance.client().checkExists().forPath("/interrupted")).isNotNull();
			// The end of the session needs an answer too.
			proxy.heal();
		}
	}

	@Test
	void nothingIsSentWithoutAConnection() throws Exception {
		try (Instance instance = Instance.connectedTo(server.getConnectString());
				ZooKeeperProxy proxy = ZooKeeperProxy.to(server.getPort());
				CuratorFramework writer = Instance.client(proxy.connectString(), Duration.ofSeconds(30));
				LockHandle lock = instance.template().acquire(LEADER)) {
			writer.checkExists().forPath("/");
			proxy.refuse();
			await().until(() -> !writer.getZookeeperClient().isConnected());
			assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> GuardedTransaction.commit(writer, lock, List.of(create(writer, "/unsent"))))
				.withMessageContaining("Nothing was sent");
			assertThat(proxy.count(Operation.MULTI)).isZero();
		}
	}

	@Test
	void resultsNameThePathsAsTheClientDoes() throws Exception {
		try (Instance instance = Instance.connectedTo(server.getConnectString());
				LockHandle lock = instance.template().acquire(LEADER)) {
			CuratorFramework named = instance.client().usingNamespace("named");
			CuratorTransactionResult created = GuardedTransaction
				.commit(named, lock, List.of(numbered(named, "/entry-")))
				.get(0);
			assertThat(created.getType()).isEqualTo(OperationType.CREATE);
			assertThat(created.getForPath()).isEqualTo("/entry-");
			assertThat(created.getResultPath()).isEqualTo("/entry-0000000000");
			CuratorTransactionResult set = GuardedTransaction
				.commit(named, lock, List.of(named.transactionOp().setData().forPath("/entry-0000000000", new byte[3])))
				.get(0);
			assertThat(set.getResultStat().getDataLength()).isEqualTo(3);
			assertThat(set.getResultPath()).isNull();
		}
	}

	@Test
	void refusesALockOfAnotherProvider() {
		LockHandle foreign = mock(LockHandle.class);
		given(foreign.id()).willReturn(new LockId("leader", null));
		given(foreign.unwrap(ZooKeeperGrant.class)).willReturn(Optional.empty());
		CuratorFramework client = mock(CuratorFramework.class);
		assertThatIllegalArgumentException().isThrownBy(() -> GuardedTransaction.check(client, foreign))
			.withMessageContaining("Lock leader is not held in ZooKeeper");
	}

	private static CuratorOp create(CuratorFramework client, String path) throws Exception {
		return client.transactionOp().create().forPath(path);
	}

	private static CuratorOp numbered(CuratorFramework client, String path) throws Exception {
		return client.transactionOp().create().withMode(CreateMode.PERSISTENT_SEQUENTIAL).forPath(path);
	}

	private static void delete(CuratorFramework client, String path) {
		try {
			client.delete().forPath(path);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String nodeOf(LockHandle lock) {
		return lock.unwrap(ZooKeeperGrant.class).orElseThrow().nodePath();
	}

}

package io.interlock.curator;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
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
		server = new TestingServer();
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
			GuardedTransaction.commit(other, lock, List.of(create(other, "/other")));
			assertThat(instance.client().checkExists().forPath("/other")).isNotNull();
		}
	}

	@Test
	void saysWhenTheClientIsConnectedToAnotherEnsemble() throws Exception {
		try (TestingServer elsewhere = new TestingServer();
				Instance instance = Instance.connectedTo(server.getConnectString());
				CuratorFramework other = Instance.client(elsewhere.getConnectString(), Duration.ofSeconds(30));
				LockHandle lock = instance.template().acquire(LEADER)) {
			assertThatIllegalStateException()
				.isThrownBy(() -> GuardedTransaction.commit(other, lock, List.of(create(other, "/other"))))
				.withMessageContaining("must be connected to the ensemble and chroot of the lock");
			assertThat(lock.isValid()).isTrue();
		}
	}

	@Test
	void refusesALockOfAnotherProvider() {
		LockHandle foreign = mock(LockHandle.class);
		given(foreign.id()).willReturn(new LockId("leader", null));
		given(foreign.unwrap(CuratorLockHandle.class)).willReturn(Optional.empty());
		CuratorFramework client = mock(CuratorFramework.class);
		assertThatIllegalArgumentException().isThrownBy(() -> GuardedTransaction.check(client, foreign))
			.withMessageContaining("Lock leader is not held in ZooKeeper");
	}

	private static CuratorOp create(CuratorFramework client, String path) throws Exception {
		return client.transactionOp().create().forPath(path);
	}

	private static String nodeOf(LockHandle lock) {
		return lock.unwrap(CuratorLockHandle.class).orElseThrow().absolutePath();
	}

}

package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.Ports;
import io.interlock.transaction.CommitVerification;
import io.interlock.transaction.LockVerifyingTransactionListener;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.ZooKeeperGrant;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooKeeper;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockVerifyingTransactionListener} with locks on a real server.
 */
class CommitVerificationOnZooKeeperTests {

	private static final Duration VERIFY_TIMEOUT = Duration.ofMillis(500);

	/** How long servers that answer may take: a machine may stand still. */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final LockRequest SEAT = LockRequest.exclusive("seat");

	private final CountingTransactionManager manager = new CountingTransactionManager();

	private TestingServer server;

	private Instance instance;

	@BeforeEach
	void start() throws Exception {
		this.server = new TestingServer(Ports.free());
		this.instance = connect(PATIENCE);
	}

	private Instance connect(Duration verifyTimeout) {
		return Instance.with(this.server.getConnectString(), Duration.ofSeconds(30), new ZooKeeperLockSettings(
				Instance.ROOT, "test@localhost:1", verifyTimeout, Recipe.PIPELINED, Map.of(), false));
	}

	@AfterEach
	void stop() throws Exception {
		this.instance.close();
		this.server.close();
	}

	@Test
	void commitsWithBothWaysToVerify() {
		try (LockHandle lock = this.instance.template().acquire(SEAT)) {
			transaction(CommitVerification.LOCAL).executeWithoutResult((status) -> {
			});
			transaction(CommitVerification.QUORUM).executeWithoutResult((status) -> {
			});
			assertThat(lock.isValid()).isTrue();
		}
		assertThat(this.manager.commits).hasValue(2);
	}

	@Test
	@Proves(value = Promise.TRANSACTIONS, under = Fault.THE_SESSION_EXPIRES)
	void rollsBackWhenTheSessionExpired() {
		try (LockHandle lock = this.instance.template().acquire(SEAT)) {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> transaction(CommitVerification.LOCAL).executeWithoutResult((status) -> {
					expireSession();
					Awaitility.await().until(() -> !lock.isValid());
				}));
		}
		assertThat(this.manager.commits).hasValue(0);
		assertThat(this.manager.rollbacks).hasValue(1);
	}

	@Test
	@Proves(value = Promise.TRANSACTIONS, under = Fault.THE_SERVERS_ARE_STOPPED)
	void rollsBackInTimeWhenNoServerAnswers() {
		try (Instance impatient = connect(VERIFY_TIMEOUT);
				LockHandle lock = impatient.template(Duration.ofSeconds(1)).acquire(SEAT)) {
			long stoppedAt = System.nanoTime();
			assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> transaction(CommitVerification.LOCAL).executeWithoutResult((status) -> {
					stopServer();
					Awaitility.await().until(() -> !lock.isValid());
				}));
			assertThat(Duration.ofNanos(System.nanoTime() - stoppedAt)).isGreaterThan(VERIFY_TIMEOUT)
				.isLessThan(VERIFY_TIMEOUT.plusSeconds(10));
		}
		assertThat(this.manager.commits).hasValue(0);
		assertThat(this.manager.rollbacks).hasValue(1);
	}

	@Test
	@Proves(value = Promise.TRANSACTIONS, under = Fault.A_NODE_IS_DELETED)
	void quorumKnowsOfANodeThatHasJustBeenDeleted() {
		try (LockHandle lock = this.instance.template().acquire(SEAT)) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(
					() -> transaction(CommitVerification.QUORUM).executeWithoutResult((status) -> delete(lock)));
		}
		assertThat(this.manager.commits).hasValue(0);
	}

	private TransactionTemplate transaction(CommitVerification verification) {
		this.manager.setTransactionExecutionListeners(List.of(new LockVerifyingTransactionListener(verification)));
		return new TransactionTemplate(this.manager);
	}

	private void expireSession() {
		zooKeeper().getTestable().injectSessionExpiration();
	}

	private ZooKeeper zooKeeper() {
		try {
			return this.instance.client().getZookeeperClient().getZooKeeper();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void stopServer() {
		try {
			this.server.stop();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void delete(LockHandle lock) {
		try {
			this.instance.client().delete().forPath(lock.unwrap(ZooKeeperGrant.class).orElseThrow().nodePath());
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static final class CountingTransactionManager extends AbstractPlatformTransactionManager {

		private final AtomicInteger commits = new AtomicInteger();

		private final AtomicInteger rollbacks = new AtomicInteger();

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.commits.incrementAndGet();
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			this.rollbacks.incrementAndGet();
		}

	}

}

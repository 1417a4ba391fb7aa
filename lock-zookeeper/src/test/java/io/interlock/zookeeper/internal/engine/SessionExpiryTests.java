package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.thread.Background;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for a session that expires while a lock hangs on it.
 */
@ExtendWith(SharedServer.class)
class SessionExpiryTests {

	private final LocalServer server;

	private final RecordingListener listener = new RecordingListener();

	private final CompletableFuture<Boolean> closing = new CompletableFuture<>();

	private final CompletableFuture<Boolean> mayClose = new CompletableFuture<>();

	private LockRequest request;

	private Instance instance;

	SessionExpiryTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect(TestInfo test) {
		this.request = LockRequest.exclusive(test.getDisplayName());
		this.instance = Instance.connectedTo(this.server.connectString(), this.listener);
	}

	@AfterEach
	void disconnect() {
		this.mayClose.complete(true);
		this.instance.close();
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_SESSION_EXPIRES)
	void bodyThatLosesTheLockEndsWithLockLost() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.instance.template().executeWithoutResult(this.request, (lock) -> {
				assertThat(lock.isValid()).isTrue();
				expireSession();
				await().until(() -> !lock.isValid());
			}))
			.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(this.request.id()));
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_SESSION_EXPIRES)
	void lossIsToldOnceToListenersAndActions() {
		AtomicInteger actions = new AtomicInteger();
		LockHandle handle = this.instance.template().acquire(this.request);
		handle.onLoss(actions::incrementAndGet);
		expireSession();
		await().until(() -> actions.get() > 0 && !this.listener.lost().isEmpty());
		await().until(this.instance.client().getZookeeperClient()::isConnected);
		handle.close();
		assertThat(this.listener.lost()).hasSize(1);
		assertThat(actions).hasValue(1);
	}

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.THE_SESSION_EXPIRES)
	void handleOfAnEarlierSessionIsNeverValidAgain() {
		LockHandle lost = this.instance.template().acquire(this.request);
		expireSession();
		await().until(() -> !lost.isValid());
		try (LockHandle other = this.instance.template().acquire(this.request.withKey("other"))) {
			assertThat(other.isValid()).isTrue();
			assertThat(lost.isValid()).isFalse();
		}
		lost.close();
	}

	@Test
	void sameThreadDoesNotReenterTheLostLock() {
		LockHandle lost = this.instance.template().acquire(this.request);
		expireSession();
		await().until(() -> !this.listener.lost().isEmpty());
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.instance.template().acquire(this.request));
		lost.close();
	}

	@Test
	void nextAcquisitionHasAGreaterToken() {
		LockHandle lost = this.instance.template().acquire(this.request);
		expireSession();
		await().until(() -> !this.listener.lost().isEmpty());
		lost.close();
		try (LockHandle next = this.instance.template().acquire(this.request)) {
			assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
			assertThat(next.isValid()).isTrue();
			next.verify();
		}
	}

	@Test
	@Proves(value = Promise.THE_FENCING_TOKEN, under = Fault.THE_SESSION_EXPIRES)
	void otherInstanceGetsTheLostLock() {
		try (Instance brief = Instance.connectedTo(this.server.connectString(), Duration.ofSeconds(2));
				LockHandle lost = brief.template().acquire(this.request)) {
			expireSession(brief);
			try (LockHandle next = this.instance.template().acquire(this.request)) {
				assertThat(lost.isValid()).isFalse();
				assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
			}
		}
	}

	@Test
	void holderKnowsOfTheLossBeforeCuratorClosesASessionThatMayBeAlive() {
		replaceByInstanceThatIsSlowToClose();
		LockHandle held = this.instance.template().acquire(this.request);
		CompletableFuture<Boolean> told = new CompletableFuture<>();
		held.onLoss(() -> told.complete(true));
		beginReset();
		assertThat(held.isValid()).isFalse();
		assertThat(held.isLost()).isTrue();
		assertThat(told).succeedsWithin(Duration.ofSeconds(20));
		held.close();
	}

	@Test
	void bodyThatEndsWhileCuratorClosesTheSessionEndsWithLockLost() {
		replaceByInstanceThatIsSlowToClose();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.instance.template().executeWithoutResult(this.request, (lock) -> beginReset()));
		await().untilAsserted(() -> assertThat(this.listener.lost()).hasSize(1));
	}

	private void beginReset() {
		Background.start(() -> {
			this.instance.client().getZookeeperClient().reset();
			return true;
		});
		this.closing.join();
	}

	@SuppressWarnings("try")
	private void replaceByInstanceThatIsSlowToClose() {
		this.instance.close();
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(this.server.connectString())
			.retryPolicy(new RetryOneTime(10))
			.zookeeperFactory((connectString, sessionTimeout, watcher, canBeReadOnly) -> new ZooKeeper(connectString,
					sessionTimeout, watcher, canBeReadOnly) {
				@Override
				public synchronized void close() throws InterruptedException {
					SessionExpiryTests.this.closing.complete(true);
					SessionExpiryTests.this.mayClose.join();
					super.close();
				}
			})
			.build();
		client.start();
		this.instance = Instance.on(client, this.listener);
	}

	@Test
	void verificationOfALostLockSaysSo() {
		LockHandle lost = this.instance.template().acquire(this.request);
		expireSession();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::verify);
		lost.close();
	}

	@Test
	void closingALostLockReturnsAtOnce() {
		try (TcpProxy proxy = TcpProxy.to(this.server.port());
				Instance far = Instance.connectedTo(proxy.connectString(), this.listener)) {
			LockHandle lost = far.template().acquire(this.request);
			expireSession(far);
			await().until(() -> !this.listener.lost().isEmpty());
			// A close that waited for an answer would do so for ten seconds.
			proxy.refuse();
			long startedAt = System.nanoTime();
			lost.close();
			assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isLessThan(Duration.ofSeconds(5));
			proxy.heal();
			await().untilAsserted(() -> assertThat(far.provider().pendingReleases()).isZero());
		}
	}

	private void expireSession() {
		expireSession(this.instance);
	}

	private static void expireSession(Instance instance) {
		try {
			instance.client().getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}

package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for defects F5 and F6 of plain Curator: it keeps in mind which thread holds what,
 * and no end of a session clears that. A thread that has lost a lock enters it again
 * without asking anybody (F5), and one that has lost the write lock gets the read lock
 * (F6), while somebody else holds it. Both kinds of lock hang on one client here.
 */
@ExtendWith(SharedServer.class)
@Timeout(60)
class ReentranceAfterLossTests {

	private static final Duration SESSION = Duration.ofSeconds(2);

	private static final Duration ZERO = Duration.ZERO;

	private final LocalServer server;

	private ZooKeeperProxy proxy;

	private Instance loser;

	private Instance next;

	ReentranceAfterLossTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() {
		this.proxy = ZooKeeperProxy.to(this.server.port());
		this.loser = Instance.connectedTo(this.proxy.connectString(), SESSION);
		this.next = Instance.connectedTo(this.server.connectString());
	}

	@AfterEach
	void disconnect() {
		this.next.close();
		this.loser.close();
		this.proxy.close();
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_SESSION_EXPIRES)
	void lostLockIsNotEnteredAgainWherePlainMutexIs() throws Exception {
		LockRequest request = LockRequest.exclusive("re-entered").withWaitTime(Duration.ofSeconds(20));
		InterProcessMutex plain = new InterProcessMutex(this.loser.client(), "/plain/re-entered");
		InterProcessMutex nextPlain = new InterProcessMutex(this.next.client(), "/plain/re-entered");
		plain.acquire();
		LockHandle ours = this.loser.template().acquire(request);
		loseTheSession(ours);
		assertThat(nextPlain.acquire(20, TimeUnit.SECONDS)).isTrue();
		try (LockHandle granted = this.next.template().acquire(request)) {
			this.proxy.forget();
			assertThat(plain.acquire(0, TimeUnit.SECONDS)).as("what plain Curator says").isTrue();
			assertThat(this.proxy.requests()).as("what it asked").isEmpty();
			assertThatNoException().isThrownBy(() -> {
				plain.release();
				plain.release();
			});
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.loser.template().acquire(request));
			ours.close();
			assertThat(this.loser.template().tryAcquire(request.withWaitTime(ZERO))).isEmpty();
			assertThat(granted.isValid()).isTrue();
		}
		nextPlain.release();
	}

	@Test
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.THE_SESSION_EXPIRES)
	void writerThatLostIsNoReaderWherePlainReadWriteLockMakesItOne() throws Exception {
		LockRequest write = LockRequest.exclusive("downgraded").withWaitTime(Duration.ofSeconds(20));
		LockRequest read = LockRequest.shared("downgraded").withWaitTime(ZERO);
		InterProcessReadWriteLock plain = new InterProcessReadWriteLock(this.loser.client(), "/plain/downgraded");
		InterProcessReadWriteLock nextPlain = new InterProcessReadWriteLock(this.next.client(), "/plain/downgraded");
		plain.writeLock().acquire();
		LockHandle ours = this.loser.template().acquire(write);
		loseTheSession(ours);
		assertThat(nextPlain.writeLock().acquire(20, TimeUnit.SECONDS)).isTrue();
		try (LockHandle granted = this.next.template().acquire(write)) {
			assertThat(plain.readLock().acquire(0, TimeUnit.SECONDS)).as("what plain Curator says").isTrue();
			assertThat(nextPlain.writeLock().isOwnedByCurrentThread()).as("beside a writer").isTrue();
			plain.readLock().release();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.loser.template().acquire(read));
			ours.close();
			assertThat(this.loser.template().tryAcquire(read)).isEmpty();
			assertThat(granted.isValid()).isTrue();
		}
		nextPlain.writeLock().release();
	}

	/**
	 * The client begins another session; the servers keep the old one until it has timed
	 * out.
	 */
	private void loseTheSession(LockHandle ours) throws Exception {
		long before = session();
		this.loser.client().getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		await().until(
				() -> this.loser.client().getZookeeperClient().isConnected() && session() != before && ours.isLost());
	}

	private long session() throws Exception {
		return this.loser.client().getZookeeperClient().getZooKeeper().getSessionId();
	}

}

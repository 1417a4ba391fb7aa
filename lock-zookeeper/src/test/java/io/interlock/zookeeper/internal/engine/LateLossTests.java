package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.testsupport.tier.Deep;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for defect F4 of plain Curator: on its defaults
 * ({@code simulatedSessionExpirationPercent} 100) LOST comes after the servers have given
 * the lock away. Both kinds of lock hang on one client here.
 */
@Deep
@Timeout(60)
class LateLossTests {

	/**
	 * Curator says LOST two thirds of it after the session has ended, which is time
	 * enough for the next holders on a busy machine.
	 */
	private static final Duration SESSION = Duration.ofSeconds(10);

	private static final LockRequest REQUEST = LockRequest.exclusive("late-loss").withWaitTime(Duration.ofSeconds(30));

	private static final String PLAIN_PATH = "/plain/late-loss";

	private final CountDownLatch lost = new CountDownLatch(1);

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.PACKETS_ARE_SWALLOWED)
	void holderKnowsBeforeTheNextOneWhereCuratorSaysLostAfterwards() throws Exception {
		try (LocalServer server = new LocalServer();
				ZooKeeperProxy proxy = ZooKeeperProxy.to(server.port());
				CuratorFramework client = clientOfTheApplication(proxy.connectString());
				Instance holder = Instance.on(client);
				Instance next = Instance.connectedTo(server.connectString(), SESSION)) {
			InterProcessMutex plain = new InterProcessMutex(client, PLAIN_PATH);
			plain.acquire();
			LockHandle ours = holder.template().acquire(REQUEST);
			proxy.blackHole();
			LockHandle granted = next.template().acquire(REQUEST);
			assertThat(ours.isValid()).isFalse();
			InterProcessMutex nextPlain = new InterProcessMutex(next.client(), PLAIN_PATH);
			assertThat(nextPlain.acquire(30, TimeUnit.SECONDS)).isTrue();
			assertThat(plain.isAcquiredInThisProcess()).as("what plain Curator says").isTrue();
			assertThat(this.lost.getCount()).as("LOST is still to come").isEqualTo(1);
			assertThat(this.lost.await(30, TimeUnit.SECONDS)).isTrue();
			proxy.heal();
			granted.close();
			ours.close();
		}
	}

	private CuratorFramework clientOfTheApplication(String connectString) {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs((int) SESSION.toMillis())
			.connectionTimeoutMs(2000)
			.retryPolicy(new ExponentialBackoffRetry(50, 3))
			.build();
		client.getConnectionStateListenable().addListener((framework, state) -> {
			if (state == ConnectionState.LOST) {
				this.lost.countDown();
			}
		});
		client.start();
		return client;
	}

}

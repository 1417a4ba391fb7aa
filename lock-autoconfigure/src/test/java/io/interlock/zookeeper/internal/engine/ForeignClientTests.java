package io.interlock.zookeeper.internal.engine;

import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests a client that is configured as Curator's defaults are: its LOST comes long after
 * the session has ended.
 */
@Timeout(60)
class ForeignClientTests {

	private static final Duration SESSION = Duration.ofSeconds(6);

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.PACKETS_ARE_SWALLOWED, note = "on a client of the application")
	void holderKnowsOfTheLossBeforeTheNextHolderIsGrantedTheLock() throws Exception {
		LockRequest request = LockRequest.exclusive("foreign").withWaitTime(Duration.ofSeconds(30));
		try (LocalServer server = new LocalServer();
				ZooKeeperProxy proxy = ZooKeeperProxy.to(server.port());
				CuratorFramework client = CuratorFrameworkFactory.builder()
					.connectString(proxy.connectString())
					.sessionTimeoutMs((int) SESSION.toMillis())
					.connectionTimeoutMs(2000)
					.retryPolicy(new ExponentialBackoffRetry(50, 3))
					.simulatedSessionExpirationPercent(100)
					.ensembleTracker(false)
					.build()) {
			client.start();
			try (Instance holder = Instance.on(client);
					Instance next = Instance.connectedTo(server.connectString(), SESSION)) {
				LockHandle held = holder.template().acquire(request);
				assertThat(held.isValid()).isTrue();
				proxy.blackHole();
				LockHandle granted = next.template().acquire(request);
				assertThat(held.isValid()).isFalse();
				assertThat(granted.fencingToken()).isGreaterThan(held.fencingToken());
				await().until(held::isLost);
				proxy.heal();
				granted.close();
				held.close();
			}
		}
	}

}

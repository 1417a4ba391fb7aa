package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.List;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.Operation;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests a client that an application configures: its LOST comes long after the session
 * has ended, its ACLs are its own, and it repeats what fails.
 */
@Timeout(60)
class ForeignClientTests {

	private static final Duration SESSION = Duration.ofSeconds(6);

	private static final List<ACL> OPEN = Collections.singletonList(new ACL(Perms.ALL, new Id("world", "anyone")));

	private static final List<ACL> READ_ONLY = Collections
		.singletonList(new ACL(Perms.READ, new Id("world", "anyone")));

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

	@Test
	void nodesHaveTheAclThatTheClientGivesThem() throws Exception {
		LockRequest request = LockRequest.exclusive("acl");
		String parent = "/shop" + LocalServer.pathOf(request);
		ACLProvider provider = new ACLProvider() {

			@Override
			public List<ACL> getDefaultAcl() {
				return OPEN;
			}

			@Override
			public List<ACL> getAclForPath(String path) {
				return path.startsWith(parent + "/") ? READ_ONLY : getDefaultAcl();
			}

		};
		try (LocalServer server = new LocalServer();
				CuratorFramework client = CuratorFrameworkFactory.builder()
					.connectString(server.connectString())
					.namespace("shop")
					.aclProvider(provider)
					.retryPolicy(new ExponentialBackoffRetry(50, 3))
					.ensembleTracker(false)
					.build()) {
			client.start();
			try (Instance instance = Instance.on(client); LockHandle held = instance.template().acquire(request)) {
				held.verify();
				String node = server.observer().getChildren().forPath(parent).get(0);
				assertThat(server.observer().getACL().forPath(parent + "/" + node)).isEqualTo(READ_ONLY);
				assertThat(server.observer().getACL().forPath(parent)).isEqualTo(OPEN);
			}
		}
	}

	@Test
	void creationIsSentOnce() throws Exception {
		LockRequest request = LockRequest.exclusive("once").withWaitTime(Duration.ofSeconds(30));
		try (LocalServer server = new LocalServer();
				ZooKeeperProxy proxy = ZooKeeperProxy.to(server.port());
				CuratorFramework client = CuratorFrameworkFactory.builder()
					.connectString(proxy.connectString())
					.retryPolicy(new ExponentialBackoffRetry(50, 3))
					.ensembleTracker(false)
					.build()) {
			client.start();
			try (Instance instance = Instance.on(client)) {
				instance.template().acquire(request).close();
				proxy.forget();
				proxy.loseNextReply(Operation.CREATE2);
				instance.template().acquire(request).close();
				assertThat(proxy.count(Operation.CREATE2)).isEqualTo(1);
			}
		}
	}

}

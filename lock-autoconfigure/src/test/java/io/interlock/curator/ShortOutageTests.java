package io.interlock.curator;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.curator.CuratorAutoConfiguration;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.template.LockTemplate;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for an interruption that is longer than a third of the session timeout and
 * shorter than the session, on the client that the starter makes.
 */
@Timeout(90)
class ShortOutageTests {

	private static final Duration OUTAGE = Duration.ofSeconds(12);

	private static final LockRequest HELD = LockRequest.exclusive("outage-held");

	private static final LockRequest WANTED = LockRequest.exclusive("outage-wanted")
		.withWaitTime(Duration.ofSeconds(60));

	private LocalServer server;

	private ZooKeeperProxy proxy;

	@BeforeEach
	void start() throws Exception {
		this.server = new LocalServer();
		this.proxy = ZooKeeperProxy.to(this.server.port());
	}

	@AfterEach
	void stop() throws Exception {
		this.proxy.close();
		this.server.close();
	}

	@Test
	void sessionHoldAndPlaceSurvive() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class, InterlockAutoConfiguration.class))
			.withPropertyValues("interlock.zookeeper.connect-string=" + this.proxy.connectString(),
					"interlock.zookeeper.session-timeout=30s")
			.run(this::assertThatOutageCostsNothing);
	}

	private void assertThatOutageCostsNothing(ApplicationContext context) throws Exception {
		LockTemplate template = context.getBean(LockTemplate.class);
		CuratorFramework client = context.getBean(CuratorFramework.class);
		AtomicInteger losses = new AtomicInteger();
		try (Instance other = Instance.connectedTo(this.server.connectString());
				LockHandle held = template.acquire(HELD)) {
			held.onLoss(losses::incrementAndGet);
			LockHandle inFront = other.template().acquire(WANTED);
			CompletableFuture<LockHandle> waiting = CompletableFuture.supplyAsync(() -> template.acquire(WANTED));
			await().until(() -> this.server.contenders(WANTED).size() == 2);
			long session = sessionOf(client);
			Map<String, Long> before = nodes();
			interrupt(client);
			await().atMost(Duration.ofSeconds(10)).until(client.getZookeeperClient()::isConnected);
			assertThat(sessionOf(client)).as("session").isEqualTo(session);
			assertThat(nodes()).as("nodes and their sessions").isEqualTo(before);
			await().atMost(Duration.ofSeconds(10)).until(held::isValid);
			held.verify();
			assertThat(losses).as("losses").hasValue(0);
			inFront.close();
			try (LockHandle granted = waiting.get(5, TimeUnit.SECONDS)) {
				assertThat(before.keySet()).containsAll(this.server.contenders(WANTED));
				assertThat(granted.isValid()).isTrue();
			}
		}
	}

	private void interrupt(CuratorFramework client) {
		this.proxy.refuse();
		await().atMost(OUTAGE.plusSeconds(5)).during(OUTAGE).until(() -> !client.getZookeeperClient().isConnected());
		this.proxy.heal();
	}

	private static long sessionOf(CuratorFramework client) throws Exception {
		return client.getZookeeperClient().getZooKeeper().getSessionId();
	}

	/**
	 * Return the nodes of both locks, each with its session.
	 */
	private Map<String, Long> nodes() throws Exception {
		Map<String, Long> nodes = new HashMap<>();
		for (LockRequest request : List.of(HELD, WANTED)) {
			for (String name : this.server.contenders(request)) {
				String path = LocalServer.pathOf(request) + "/" + name;
				nodes.put(name, this.server.observer().checkExists().forPath(path).getEphemeralOwner());
			}
		}
		return nodes;
	}

}

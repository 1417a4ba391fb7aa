package io.interlock.zookeeper.internal.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.zookeeper.Recipe;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for nodes that block a lock and that no holder stands behind. A session lasts for
 * a second here.
 */
@ExtendWith({ SharedServer.class, OutputCaptureExtension.class })
@Timeout(60)
class BlockedQueueTests {

	private static final Duration SESSION = Duration.ofSeconds(1);

	private static final byte[] NO_DATA = {};

	private final LocalServer server;

	private Instance instance;

	BlockedQueueTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() {
		this.instance = Instance.connectedTo(this.server.connectString(), SESSION);
	}

	@AfterEach
	void disconnect() {
		this.instance.close();
	}

	@Test
	void persistentNodeThatBlocksALockIsNamedOnce(CapturedOutput output) throws Exception {
		LockRequest request = LockRequest.exclusive("blocked").withKey("persistent");
		String planted = plant(request, "x-lock-0000000000", NO_DATA, CreateMode.PERSISTENT);
		CompletableFuture<LockHandle> first = waiting(request);
		await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(output).contains(planted));
		this.server.observer().create().forPath(planted + "-mark");
		this.server.observer().delete().forPath(planted);
		first.get(10, TimeUnit.SECONDS).close();
		this.server.observer().delete().forPath(planted + "-mark");
		assertThat(output).containsOnlyOnce(planted)
			.contains("WARN", "belongs to no session", "blocks lock blocked[persistent]", "delete");
	}

	@Test
	void nodeOfAnotherClientThatBlocksALockIsNamed(CapturedOutput output) throws Exception {
		LockRequest request = LockRequest.exclusive("blocked").withKey("foreign");
		String planted = plant(request, "x-lock-0000000000", "192.0.2.7".getBytes(StandardCharsets.UTF_8),
				CreateMode.EPHEMERAL);
		CompletableFuture<LockHandle> first = waiting(request);
		await().atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertThat(output).contains(planted).contains("was not made by Interlock"));
		this.server.observer().delete().forPath(planted);
		first.get(10, TimeUnit.SECONDS).close();
	}

	@ParameterizedTest
	@EnumSource(Recipe.class)
	void triesThatGiveUpBeforeASessionTimeoutNameItToo(Recipe recipe, CapturedOutput output) throws Exception {
		LockRequest request = LockRequest.exclusive("blocked-" + recipe).withWaitTime(Duration.ZERO);
		String name = (recipe == Recipe.CURATOR) ? "x__WRIT__0000000000" : "x-lock-0000000000";
		String planted = plant(request, name, NO_DATA, CreateMode.PERSISTENT);
		try (Instance trying = Instance.with(this.server.connectString(), SESSION,
				Instance.settings(recipe, Map.of()))) {
			await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
				assertThat(trying.template().tryAcquire(request)).isEmpty();
				assertThat(output).contains(planted);
			});
		}
		finally {
			this.server.observer().delete().forPath(planted);
		}
	}

	@Test
	void nameOfABlockingNodeForgesNoLine(CapturedOutput output) throws Exception {
		LockRequest request = LockRequest.exclusive("blocked").withKey("forged");
		String planted = plant(request, "x\u2028forged line\u202e-lock-0000000000", NO_DATA, CreateMode.PERSISTENT);
		CompletableFuture<LockHandle> first = waiting(request);
		await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(output).contains("blocks lock"));
		this.server.observer().delete().forPath(planted);
		first.get(10, TimeUnit.SECONDS).close();
		assertThat(output).doesNotContain("\u2028").doesNotContain("\u202e").contains("\\u2028forged line\\u202e");
	}

	@Test
	void holderOfOursIsNotNamedHoweverLongItHolds(CapturedOutput output) throws Exception {
		LockRequest request = LockRequest.exclusive("blocked").withKey("ours");
		LockRequest planted = LockRequest.exclusive("blocked").withKey("mark");
		String mark = plant(planted, "x-lock-0000000000", NO_DATA, CreateMode.PERSISTENT);
		try (Instance holder = Instance.connectedTo(this.server.connectString())) {
			LockHandle held = holder.template().acquire(request);
			CompletableFuture<LockHandle> second = waiting(request);
			await().until(() -> this.server.contenders(request).size() == 2);
			CompletableFuture<LockHandle> later = waiting(planted);
			await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(output).contains(mark));
			held.close();
			second.get(10, TimeUnit.SECONDS).close();
			this.server.observer().delete().forPath(mark);
			later.get(10, TimeUnit.SECONDS).close();
		}
		assertThat(output).doesNotContain("blocks lock blocked[ours]");
	}

	private CompletableFuture<LockHandle> waiting(LockRequest request) {
		return CompletableFuture
			.supplyAsync(() -> this.instance.template().acquire(request.withWaitTime(Duration.ofSeconds(40))));
	}

	private String plant(LockRequest request, String name, byte[] data, CreateMode mode) throws Exception {
		this.server.observer().createContainers(LocalServer.pathOf(request));
		return this.server.observer().create().withMode(mode).forPath(LocalServer.pathOf(request) + "/" + name, data);
	}

}

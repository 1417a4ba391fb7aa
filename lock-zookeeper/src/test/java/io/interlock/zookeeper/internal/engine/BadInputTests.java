package io.interlock.zookeeper.internal.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.zookeeper.Recipe;
import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for nasty names and keys, wrong settings, and clients that go away: errors are
 * clear, and nothing is left behind.
 */
@ExtendWith(SharedServer.class)
class BadInputTests {

	private static final Duration SECONDS = Duration.ofSeconds(10);

	private static final List<String> NASTY = List.of("zookeeper", "/", "//", "a/b", ".", "..", "../..", ":", "a:b",
			"%", "%2F", "%uD83D", "a b", "\u0001\u0000\n\t", "\uD83D\uDD12", "\uD83D", "\uFFFF\uFFFE", "\u202Eevil",
			"x".repeat(1000), "\uD83D\uDD12".repeat(500), "/".repeat(1000));

	private final LocalServer server;

	private Instance instance;

	BadInputTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() {
		this.instance = Instance.connectedTo(this.server.connectString());
	}

	@AfterEach
	void disconnect() {
		this.instance.close();
	}

	@Test
	void nastyKeyIsALockLikeAnyOther() {
		NASTY.forEach((key) -> assertLocks(LockRequest.exclusive("nasty").withKey(key)));
	}

	@Test
	void nastyNameIsALockLikeAnyOther() {
		NASTY.forEach((name) -> assertLocks(LockRequest.exclusive(name)));
	}

	private void assertLocks(LockRequest request) {
		try (LockHandle handle = this.instance.template().acquire(request)) {
			assertThat(handle.isValid()).isTrue();
			handle.verify();
			assertThat(this.server.contenders(request)).hasSize(1);
		}
		assertThat(this.server.contenders(request)).isEmpty();
	}

	@Test
	void wrongCredentialsAreReportedAsSuch() throws Exception {
		try (CuratorFramework owner = CuratorFrameworkFactory.builder()
			.connectString(this.server.connectString())
			.retryPolicy(new RetryOneTime(100))
			.authorization("digest", "alice:secret".getBytes(StandardCharsets.UTF_8))
			.build()) {
			owner.start();
			owner.create().withACL(List.of(new ACL(ZooDefs.Perms.ALL, new Id("auth", "")))).forPath("/private");
		}
		try (Instance stranger = Instance.with(this.server.connectString(), SECONDS,
				new ZooKeeperLockSettings("/private", "test", SECONDS, Recipe.PIPELINED, Map.of(), false))) {
			assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> stranger.template().acquire(LockRequest.exclusive("orders")))
				.withMessageContainingAll("orders", "/private", "Retrying will not help", "username");
		}
	}

	@Test
	void missingChrootIsReportedAsSuch() {
		try (Instance lost = Instance.connectedTo(this.server.connectString() + "/no/such/chroot")) {
			assertMissingChroot(lost);
		}
	}

	@Test
	void missingChrootIsReportedAsSuchWithAnyRetryPolicy() {
		RetryPolicy once = new RetryOneTime(1);
		try (CuratorFramework client = CuratorFrameworkFactory.newClient(this.server.connectString() + "/no/such",
				once)) {
			client.start();
			try (Instance lost = Instance.on(client)) {
				assertMissingChroot(lost);
			}
		}
	}

	private static void assertMissingChroot(Instance lost) {
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> lost.template().acquire(LockRequest.exclusive("orders").withWaitTime(SECONDS)))
			.withMessageContainingAll("orders", "chroot", "Retrying will not help");
	}

	@Test
	void listenerThatThrowsBreaksNoLock() {
		LockListener throwing = new LockListener() {

			@Override
			public void onWaiting(LockRequest request) {
				throw new IllegalStateException("waiting");
			}

			@Override
			public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
				throw new IllegalStateException("acquired");
			}

			@Override
			public void onReleased(LockHandle handle, Duration held) {
				throw new IllegalStateException("released");
			}

		};
		LockRequest request = LockRequest.exclusive("throwing-listener");
		try (Instance careless = Instance.connectedTo(this.server.connectString(), throwing)) {
			assertThat(careless.template().<String, RuntimeException>execute(request, (lock) -> "done"))
				.isEqualTo("done");
			assertThat(this.server.contenders(request)).isEmpty();
		}
	}

	@Test
	void clientThatIsClosedWhileSomebodyWaitsIsReportedAsSuch() {
		LockRequest request = LockRequest.exclusive("client-closed").withWaitTime(LockRequest.FOREVER);
		try (LockHandle held = this.instance.template().acquire(request);
				Instance closing = Instance.connectedTo(this.server.connectString())) {
			CompletableFuture<LockHandle> waiting = waitInQueue(closing, request);
			closing.client().close();
			assertUnavailable(waiting, "client is closed");
			assertThat(held.isValid()).isTrue();
		}
		assertThat(this.server.contenders(request)).isEmpty();
	}

	@Test
	void providerThatIsClosedWhileSomebodyWaitsIsReportedAsSuch() {
		LockRequest request = LockRequest.exclusive("provider-closed").withWaitTime(LockRequest.FOREVER);
		try (LockHandle held = this.instance.template().acquire(request);
				Instance closing = Instance.connectedTo(this.server.connectString())) {
			CompletableFuture<LockHandle> waiting = waitInQueue(closing, request);
			closing.provider().close();
			assertUnavailable(waiting, "shutting down");
			await().untilAsserted(() -> assertThat(this.server.contenders(request)).hasSize(1));
			assertThat(held.isValid()).isTrue();
			assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> closing.template().acquire(request))
				.withMessageContaining("shutting down");
		}
	}

	@Test
	void holdThatOutlivesItsProviderIsReleasedWithItsHandle() {
		LockRequest request = LockRequest.exclusive("outlives-provider");
		try (CuratorFramework client = Instance.client(this.server.connectString(), SECONDS)) {
			Instance closing = Instance.on(client);
			LockHandle held = closing.template().acquire(request);
			closing.provider().close();
			held.close();
			await().untilAsserted(() -> assertThat(this.server.contenders(request)).isEmpty());
		}
	}

	private CompletableFuture<LockHandle> waitInQueue(Instance closing, LockRequest request) {
		CompletableFuture<LockHandle> waiting = CompletableFuture
			.supplyAsync(() -> closing.template().acquire(request));
		await().until(() -> this.server.contenders(request).size() == 2);
		return waiting;
	}

	private static void assertUnavailable(CompletableFuture<LockHandle> waiting, String reason) {
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiting.get(20, TimeUnit.SECONDS))
			.havingCause()
			.isInstanceOf(LockServiceUnavailableException.class)
			.withMessageContaining(reason);
	}

}

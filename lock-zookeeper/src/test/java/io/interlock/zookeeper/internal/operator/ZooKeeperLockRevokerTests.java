package io.interlock.zookeeper.internal.operator;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockRevoker;
import io.interlock.admin.StaleTokenException;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.zookeeper.internal.engine.Instance;
import io.interlock.zookeeper.internal.engine.LocalServer;
import io.interlock.zookeeper.internal.engine.SharedServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.client.ZKClientConfig;
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
 * Tests for {@link ZooKeeperLockRevoker}, and for what {@link ZooKeeperLockInspector}
 * does with permissions and sizes.
 */
@ExtendWith(SharedServer.class)
class ZooKeeperLockRevokerTests {

	private static final Id CREATOR = new Id("auth", "");

	private static final List<ACL> CREATOR_ALL = List.of(new ACL(ZooDefs.Perms.ALL, CREATOR));

	private static final Duration AT_ONCE = Duration.ofMillis(200);

	private final LocalServer server;

	private Instance holder;

	private Instance other;

	private ZooKeeperLockRevoker revoker;

	ZooKeeperLockRevokerTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() throws Exception {
		this.holder = Instance.connectedTo(this.server.connectString());
		this.other = Instance.connectedTo(this.server.connectString());
		this.other.client().blockUntilConnected();
		this.revoker = new ZooKeeperLockRevoker(this.other.client(), Instance.ROOT, Instance.PATIENCE);
	}

	@AfterEach
	void disconnect() {
		this.holder.close();
		this.other.close();
	}

	@Test
	@Proves(Promise.OPERATORS)
	void holderLearnsOfItAtOnceAndTheNextWaiterGetsTheLock() throws Exception {
		Duration told = releaseWhileAnotherWaits();
		// A thread that stands still is late: another time it is not.
		for (int again = 0; again < 4 && told.compareTo(AT_ONCE) > 0; again++) {
			told = releaseWhileAnotherWaits();
		}
		assertThat(told).isLessThanOrEqualTo(AT_ONCE);
	}

	private Duration releaseWhileAnotherWaits() throws Exception {
		LockRequest request = LockRequest.exclusive("forced").withKey("a/b");
		LockHandle held = this.holder.template().acquire(request);
		CompletableFuture<Long> toldAt = new CompletableFuture<>();
		held.onLoss(() -> toldAt.complete(System.nanoTime()));
		CompletableFuture<LockHandle> waiting = CompletableFuture
			.supplyAsync(() -> this.other.template().acquire(request));
		await().until(() -> this.server.contenders(request).size() == 2);
		awaitWatched();
		LockRevoker.Target released = this.revoker.release(request.id(), held.fencingToken());
		long releasedAt = System.nanoTime();
		Duration told = Duration.ofNanos(toldAt.get(10, TimeUnit.SECONDS) - releasedAt);
		assertThat(held.isLost()).isTrue();
		assertThat(released.token()).isEqualTo(held.fencingToken());
		assertThat(released.path()).startsWith("/interlock/forced:a%2Fb/");
		assertThat(released.owner()).isNotNull()
			.satisfies((owner) -> assertThat(owner.instance()).isEqualTo("test@localhost:1"));
		try (LockHandle next = waiting.get(10, TimeUnit.SECONDS)) {
			assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
			assertThat(next.isValid()).isTrue();
		}
		held.close();
		return told;
	}

	@Test
	@Proves(Promise.OPERATORS)
	void newerTenureIsNeverHit() {
		LockRequest request = LockRequest.exclusive("stale");
		LockHandle earlier = this.holder.template().acquire(request);
		earlier.close();
		try (LockHandle held = this.holder.template().acquire(request)) {
			assertThatExceptionOfType(StaleTokenException.class)
				.isThrownBy(() -> this.revoker.release(request.id(), earlier.fencingToken()))
				.withMessageContainingAll("stale", "" + earlier.fencingToken(), "nothing was done");
			held.verify();
			assertThat(held.isValid()).isTrue();
		}
	}

	@Test
	void lockThatNobodyHoldsHasNoToken() {
		assertThatExceptionOfType(StaleTokenException.class)
			.isThrownBy(() -> this.revoker.release(new LockId("nobody", null), 1));
	}

	@Test
	void nodeOfAnotherLockIsNeverHit() {
		try (LockHandle held = this.holder.template().acquire(LockRequest.exclusive("one"))) {
			assertThatExceptionOfType(StaleTokenException.class)
				.isThrownBy(() -> this.revoker.release(new LockId("another", null), held.fencingToken()));
			held.verify();
			assertThat(held.isValid()).isTrue();
		}
	}

	@Test
	void nodeThatIsNoContenderIsNeverHit() throws Exception {
		String path = this.server.observer()
			.create()
			.creatingParentContainersIfNeeded()
			.forPath(Instance.ROOT + "/with-config/config");
		long created = this.server.observer().checkExists().forPath(path).getCzxid();
		assertThatExceptionOfType(StaleTokenException.class)
			.isThrownBy(() -> this.revoker.release(new LockId("with-config", null), created));
		assertThat(this.server.observer().checkExists().forPath(path)).isNotNull();
		this.server.observer().delete().forPath(path);
	}

	@Test
	void nodeThatNoSessionEndsIsReleasedToo() throws Exception {
		LockRequest request = LockRequest.exclusive("left-behind");
		String path = this.server.observer()
			.create()
			.creatingParentContainersIfNeeded()
			.withMode(CreateMode.PERSISTENT_SEQUENTIAL)
			.forPath(LocalServer.pathOf(request) + "/x-lock-");
		long token = this.server.observer().checkExists().forPath(path).getCzxid();
		assertThat(this.revoker.release(request.id(), token).path()).isEqualTo(path);
		assertThat(this.holder.template().tryAcquire(request.withWaitTime(Duration.ZERO))).get()
			.satisfies(LockHandle::close);
	}

	@Test
	void waiterBehindAHundredOthersIsNotAsked() throws Exception {
		LockRequest request = LockRequest.exclusive("long-queue");
		try (LockHandle held = this.holder.template().acquire(request)) {
			String last = "";
			for (int i = 0; i < 120; i++) {
				last = this.server.observer()
					.create()
					.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
					.forPath(LocalServer.pathOf(request) + "/x-lock-");
			}
			long token = this.server.observer().checkExists().forPath(last).getCzxid();
			RevocationRequest alice = new RevocationRequest("'alice'", Instant.now());
			assertThatExceptionOfType(StaleTokenException.class)
				.isThrownBy(() -> this.revoker.requestRevocation(request.id(), token, null, alice))
				.withMessageContaining("belongs to a waiter");
			assertThat(this.revoker.requestRevocation(request.id(), held.fencingToken(), null, alice).token())
				.isEqualTo(held.fencingToken());
		}
		finally {
			for (String node : this.server.contenders(request)) {
				this.server.observer().delete().quietly().forPath(LocalServer.pathOf(request) + "/" + node);
			}
		}
	}

	@Test
	void readingNeedsNoPermissionToWrite() throws Exception {
		List<ACL> readOnly = List.of(new ACL(ZooDefs.Perms.READ, new Id("world", "anyone")),
				new ACL(ZooDefs.Perms.ALL, CREATOR));
		try (CuratorFramework owner = owner()) {
			owner.create().withACL(readOnly).forPath("/read-only");
			owner.create().withACL(readOnly).forPath("/read-only/orders");
			String path = owner.create()
				.withMode(CreateMode.EPHEMERAL_SEQUENTIAL)
				.withACL(readOnly)
				.forPath("/read-only/orders/x-lock-", "worker".getBytes(StandardCharsets.UTF_8));
			long token = owner.checkExists().forPath(path).getCzxid();
			LockInspector inspector = new ZooKeeperLockInspector(this.other.client(), "/read-only", Instance.PATIENCE);
			assertThat(inspector.locks(new LockInspector.Query(null, null, 0, 10, 10)).locks()).singleElement()
				.satisfies((lock) -> assertThat(lock.holders()).singleElement()
					.satisfies((node) -> assertThat(node.token()).isEqualTo(token)));
			ZooKeeperLockRevoker forbidden = new ZooKeeperLockRevoker(this.other.client(), "/read-only",
					Instance.PATIENCE);
			assertThatExceptionOfType(LockInspectionException.class)
				.isThrownBy(() -> forbidden.release(new LockId("orders", null), token))
				.withMessageContainingAll("nothing was done", "ACL");
			assertThat(owner.checkExists().forPath(path)).isNotNull();
		}
	}

	@Test
	void whatMayNotBeReadIsLeftOutOrSaidToBeForbidden() throws Exception {
		try (CuratorFramework owner = owner()) {
			owner.create().forPath("/mixed");
			owner.create().withACL(CREATOR_ALL).forPath("/mixed/secret");
			owner.create().withMode(CreateMode.EPHEMERAL).forPath("/mixed/secret/x-lock-0000000000");
			owner.create().withACL(CREATOR_ALL).forPath("/forbidden");
			LockInspector mixed = new ZooKeeperLockInspector(this.other.client(), "/mixed", Instance.PATIENCE);
			assertThat(mixed.locks(new LockInspector.Query(null, null, 0, 10, 10)).locks()).singleElement()
				.satisfies((lock) -> {
					assertThat(lock.name()).isEqualTo("secret");
					assertThat(lock.readable()).isFalse();
				});
			LockInspector forbidden = new ZooKeeperLockInspector(this.other.client(), "/forbidden", Instance.PATIENCE);
			assertThatExceptionOfType(LockInspectionException.class)
				.isThrownBy(() -> forbidden.locks(new LockInspector.Query(null, null, 0, 10, 10)))
				.withMessageContainingAll("/forbidden", "credentials");
		}
	}

	@Test
	void contendersAreOrderedByTheirCreationWhereNumbersCannotBeTrusted() throws Exception {
		CuratorFramework client = this.server.observer();
		String lock = Instance.ROOT + "/wrapped";
		for (String node : List.of("b-lock-2147483647", "a-lock--2147483648", "c-lock-2147483647")) {
			client.create()
				.creatingParentContainersIfNeeded()
				.withMode(CreateMode.EPHEMERAL)
				.forPath(lock + "/" + node);
		}
		LockInspector inspector = new ZooKeeperLockInspector(this.other.client(), Instance.ROOT, Instance.PATIENCE);
		assertThat(inspector.locks(new LockInspector.Query("wrapped", null, 0, 10, 10)).locks()).singleElement()
			.satisfies((queue) -> {
				assertThat(queue.holders()).extracting("node").containsExactly("b-lock-2147483647");
				assertThat(queue.queue()).extracting("node").containsExactly("a-lock--2147483648", "c-lock-2147483647");
			});
		client.delete().deletingChildrenIfNeeded().forPath(lock);
	}

	/**
	 * A longer answer than the client takes would cut the connection that its locks hang
	 * on.
	 */
	@Test
	void longerListsThanTheClientTakesAreNotAskedFor() throws Exception {
		for (int i = 0; i < 110; i++) {
			create("/crowded/orders:42/x-lock-%010d".formatted(i));
		}
		for (int i = 0; i < 40; i++) {
			create("/crowded/lock-" + i);
		}
		ZKClientConfig config = new ZKClientConfig();
		config.setProperty(ZKClientConfig.JUTE_MAXBUFFER, "8192");
		try (CuratorFramework small = CuratorFrameworkFactory.builder()
			.connectString(this.server.connectString())
			.retryPolicy(new RetryOneTime(100))
			.zkClientConfig(config)
			.build()) {
			List<ConnectionState> states = new CopyOnWriteArrayList<>();
			small.getConnectionStateListenable().addListener((from, state) -> states.add(state));
			small.start();
			await().until(() -> states.contains(ConnectionState.CONNECTED));
			assertThatExceptionOfType(LockInspectionException.class)
				.isThrownBy(() -> new ZooKeeperLockRevoker(small, "/crowded", Instance.PATIENCE)
					.release(new LockId("orders", "42"), 1))
				.withMessageContainingAll("110", "nothing was done", "jute.maxbuffer");
			LockInspector inspector = new ZooKeeperLockInspector(small, "/crowded", Instance.PATIENCE);
			assertThat(inspector.locks(new LockInspector.Query("orders", "42", 0, 10, 10)).locks()).singleElement()
				.satisfies((lock) -> {
					assertThat(lock.readable()).isFalse();
					assertThat(lock.contenders()).isEqualTo(110);
				});
			assertThatExceptionOfType(LockInspectionException.class)
				.isThrownBy(() -> inspector.locks(new LockInspector.Query(null, null, 0, 10, 10)))
				.withMessageContainingAll("41", "/crowded", "jute.maxbuffer");
			assertThat(states).containsExactly(ConnectionState.CONNECTED);
		}
	}

	private void create(String path) throws Exception {
		this.server.observer().create().creatingParentsIfNeeded().forPath(path);
	}

	private void awaitWatched() {
		await().until(() -> this.server.watches() >= 2);
	}

	private CuratorFramework owner() {
		CuratorFramework owner = CuratorFrameworkFactory.builder()
			.connectString(this.server.connectString())
			.retryPolicy(new RetryOneTime(100))
			.authorization("digest", "alice:secret".getBytes(StandardCharsets.UTF_8))
			.build();
		owner.start();
		return owner;
	}

}

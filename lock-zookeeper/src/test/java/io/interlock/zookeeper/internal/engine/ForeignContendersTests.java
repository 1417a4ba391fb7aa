package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.zookeeper.Peers;
import io.interlock.zookeeper.Recipe;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the nodes of other clients on the path of a lock.
 */
@ExtendWith(SharedServer.class)
class ForeignContendersTests {

	private static final Duration ZERO = Duration.ZERO;

	private final LocalServer server;

	private Instance instance;

	ForeignContendersTests(LocalServer server) {
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

	@ParameterizedTest
	@ValueSource(strings = { "_c_2c5b4e8e-6e0b-4c5c-9d0e-1b1a7c3f7a55-lock-", "_c_2c5b4e8e-__WRIT__",
			"_c_2c5b4e8e-__READ__", "0d1c51cb7ff44a6d9a1ab53b9d9e0a2c__lock__",
			"0d1c51cb7ff44a6d9a1ab53b9d9e0a2c__rlock__", "lock-", "" })
	void exclusiveLockWaitsForEveryKindOfContender(String prefix) throws Exception {
		LockRequest request = LockRequest.exclusive("waits-for").withKey("key-" + prefix);
		String foreign = create(request, prefix, CreateMode.EPHEMERAL_SEQUENTIAL);
		assertThat(this.instance.template().tryAcquire(request.withWaitTime(ZERO))).isEmpty();
		CompletableFuture<LockHandle> waiting = CompletableFuture
			.supplyAsync(() -> this.instance.template().acquire(request));
		// The waiter watches the node in front after it has seen it there.
		await().until(() -> this.server.contenders(request).size() == 2 && this.server.watches() > 0);
		this.server.observer().delete().forPath(foreign);
		try (LockHandle granted = waiting.get(10, TimeUnit.SECONDS)) {
			assertThat(granted.contended()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "_c_2c5b4e8e-__READ__", "0d1c51cb7ff44a6d9a1ab53b9d9e0a2c__rlock__" })
	void sharedLockSharesWithReaders(String prefix) throws Exception {
		LockRequest request = LockRequest.shared("shares-with").withKey(prefix);
		String foreign = create(request, prefix, CreateMode.EPHEMERAL_SEQUENTIAL);
		try (LockHandle granted = this.instance.template().acquire(request.withWaitTime(ZERO))) {
			assertThat(granted.isValid()).isTrue();
		}
		this.server.observer().delete().forPath(foreign);
	}

	@ParameterizedTest
	@ValueSource(strings = { "_c_2c5b4e8e-lock-", "_c_2c5b4e8e-__WRIT__", "0d1c51cb7ff44a6d9a1ab53b9d9e0a2c__lock__",
			"lock-", "" })
	void sharedLockWaitsForWriters(String prefix) throws Exception {
		LockRequest request = LockRequest.shared("does-not-share-with").withKey("key-" + prefix);
		String foreign = create(request, prefix, CreateMode.EPHEMERAL_SEQUENTIAL);
		assertThat(this.instance.template().tryAcquire(request.withWaitTime(ZERO))).isEmpty();
		this.server.observer().delete().forPath(foreign);
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "-child", "config", "lock-", "_c_x-lock-", "0-lock-0", "0-lock-0000000000-old",
			"0-lock-4294967295", "0-lock--99999999999999999999999999", "0-lock-0000000000.bak" })
	void nodesThatAreNoContendersAreIgnored(String garbage) throws Exception {
		LockRequest request = LockRequest.exclusive("garbage").withKey(garbage);
		create(request, garbage, CreateMode.PERSISTENT);
		try (LockHandle granted = this.instance.template().acquire(request.withWaitTime(ZERO))) {
			assertThat(granted.isValid()).isTrue();
		}
	}

	@Test
	@Proves(value = Promise.EXCLUSION, under = Fault.OTHER_CLIENTS_USE_THE_PATH, note = "an unsafe cell of the table")
	void stockMutexIsGrantedAlthoughOurSharedHoldIsThere() throws Exception {
		LockRequest request = LockRequest.shared("unsafe");
		try (CuratorFramework plain = Instance.client(this.server.connectString(), Duration.ofSeconds(30));
				LockHandle held = this.instance.template().acquire(request)) {
			InterProcessMutex stock = new InterProcessMutex(plain, LocalServer.pathOf(request));
			assertThat(stock.acquire(0, TimeUnit.SECONDS)).as("documented as unsafe").isTrue();
			assertThat(held.isValid()).isTrue();
			stock.release();
		}
	}

	@Test
	void stockMutexIsExcludedByOurExclusiveHold() throws Exception {
		LockRequest request = LockRequest.exclusive("beside-stock-mutex");
		try (CuratorFramework plain = Instance.client(this.server.connectString(), Duration.ofSeconds(30));
				LockHandle held = this.instance.template().acquire(request)) {
			InterProcessMutex stock = new InterProcessMutex(plain, LocalServer.pathOf(request));
			assertThat(stock.acquire(0, TimeUnit.SECONDS)).isFalse();
			assertThat(held.isValid()).isTrue();
		}
	}

	@Test
	void stockReadWriteLockIsExcludedByOurHoldsWhenPeersAreReadWrite() throws Exception {
		LockRequest exclusive = LockRequest.exclusive("beside-stock-read-write");
		LockRequest shared = LockRequest.shared("beside-stock-read-write");
		ZooKeeperLockSettings settings = Instance.settings(Recipe.PIPELINED,
				Map.of("beside-stock-read-write", Peers.READ_WRITE));
		try (Instance ours = Instance.with(this.server.connectString(), Duration.ofSeconds(30), settings);
				CuratorFramework plain = Instance.client(this.server.connectString(), Duration.ofSeconds(30))) {
			InterProcessReadWriteLock stock = new InterProcessReadWriteLock(plain, LocalServer.pathOf(shared));
			try (LockHandle held = ours.template().acquire(exclusive)) {
				assertThat(stock.readLock().acquire(0, TimeUnit.SECONDS)).isFalse();
				assertThat(stock.writeLock().acquire(0, TimeUnit.SECONDS)).isFalse();
				assertThat(held.isValid()).isTrue();
			}
			try (LockHandle held = ours.template().acquire(shared)) {
				assertThat(stock.writeLock().acquire(0, TimeUnit.SECONDS)).isFalse();
				assertThat(stock.readLock().acquire(0, TimeUnit.SECONDS)).isTrue();
				assertThat(held.isValid()).isTrue();
				stock.readLock().release();
			}
		}
	}

	private String create(LockRequest request, String name, CreateMode mode) throws Exception {
		CuratorFramework client = this.server.observer();
		client.createContainers(LocalServer.pathOf(request));
		return client.create().withMode(mode).forPath(LocalServer.pathOf(request) + "/" + name);
	}

}

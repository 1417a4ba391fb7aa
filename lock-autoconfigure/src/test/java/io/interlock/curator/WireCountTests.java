package io.interlock.curator;

import java.time.Duration;
import java.util.Optional;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.proxy.Operation;
import io.interlock.proxy.ZooKeeperProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what {@link CuratorLockProvider} asks of the servers, counted on the wire.
 */
class WireCountTests {

	private static final LockRequest ORDERS = LockRequest.exclusive("orders").withKey(42);

	private LocalServer server;

	private ZooKeeperProxy proxy;

	private Instance instance;

	@BeforeEach
	void connect() throws Exception {
		this.server = new LocalServer();
		this.proxy = ZooKeeperProxy.to(this.server.port());
		this.instance = Instance.connectedTo(this.proxy.connectString());
		this.instance.template().acquire(ORDERS).close();
		this.proxy.forget();
	}

	@AfterEach
	void disconnect() throws Exception {
		this.instance.close();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void uncontendedLockIsCreatedListedAndDeleted() {
		this.instance.template().executeWithoutResult(ORDERS, (lock) -> {
		});
		assertThat(this.proxy.requests()).containsExactly(Operation.CREATE2, Operation.GET_CHILDREN2, Operation.DELETE);
	}

	@Test
	void sharedLockIsCreatedListedAndDeleted() {
		this.instance.template().executeWithoutResult(LockRequest.shared("orders").withKey(42), (lock) -> {
		});
		assertThat(this.proxy.requests()).containsExactly(Operation.CREATE2, Operation.GET_CHILDREN2, Operation.DELETE);
	}

	@Test
	void reentranceCostsNothing() {
		try (LockHandle outer = this.instance.template().acquire(ORDERS)) {
			this.proxy.forget();
			try (LockHandle inner = this.instance.template().acquire(ORDERS)) {
				assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
			}
			assertThat(this.proxy.requests()).isEmpty();
		}
	}

	@Test
	void attemptWithoutWaitingOnHeldLockIsCreatedListedAndDeleted() {
		try (Instance holder = Instance.connectedTo(this.server.connectString());
				LockHandle held = holder.template().acquire(ORDERS)) {
			Optional<LockHandle> refused = this.instance.template().tryAcquire(ORDERS.withWaitTime(Duration.ZERO));
			assertThat(refused).isEmpty();
			assertThat(held.isValid()).isTrue();
		}
		assertThat(this.proxy.requests()).containsExactly(Operation.CREATE2, Operation.GET_CHILDREN2, Operation.DELETE);
	}

	@Test
	void waitIsOneWatchingReadAndOneMoreList() throws Exception {
		try (Instance holder = Instance.connectedTo(this.server.connectString())) {
			LockHandle held = holder.template().acquire(ORDERS);
			Thread waiter = new Thread(() -> this.instance.template().acquire(ORDERS).close());
			waiter.start();
			await().until(() -> this.proxy.count(Operation.GET_DATA) == 1);
			held.close();
			waiter.join();
		}
		assertThat(this.proxy.requests()).containsExactly(Operation.CREATE2, Operation.GET_CHILDREN2,
				Operation.GET_DATA, Operation.GET_CHILDREN2, Operation.DELETE);
	}

	@Test
	void longHoldIsWatchedOnce() {
		try (LockHandle held = this.instance.template().acquire(ORDERS)) {
			await().until(() -> this.proxy.count(Operation.GET_DATA) == 1);
			await().during(Duration.ofMillis(300)).until(held::isValid);
		}
		assertThat(this.proxy.requests()).containsExactly(Operation.CREATE2, Operation.GET_CHILDREN2,
				Operation.GET_DATA, Operation.DELETE);
	}

	@Test
	void holdersLeaseIsKeptByWritesThatChangeNothing() throws Exception {
		try (Instance brief = Instance.connectedTo(this.proxy.connectString(), Duration.ofSeconds(2));
				LockHandle held = brief.template().acquire(LockRequest.exclusive("beats"))) {
			await().until(() -> this.proxy.count(Operation.MULTI) >= 3);
			await().until(held::isValid);
		}
	}

	@Test
	void idleInstanceWritesNothing() {
		try (Instance brief = Instance.connectedTo(this.proxy.connectString(), Duration.ofSeconds(2))) {
			brief.template().acquire(LockRequest.exclusive("idle")).close();
			await().until(() -> this.proxy.count(Operation.SYNC) >= 1);
			this.proxy.forget();
			await().until(() -> this.proxy.count(Operation.SYNC) >= 3);
			assertThat(this.proxy.requests()).isEmpty();
			assertThat(this.proxy.count(Operation.MULTI)).isZero();
		}
	}

}

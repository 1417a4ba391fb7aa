package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.SessionSnapshot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for attempts that do not wait for a connection.
 */
@Timeout(60)
class WhenUnavailableTests {

	private static final LockRequest FOREVER = LockRequest.exclusive("fast").withWaitTime(LockRequest.FOREVER);

	private LocalServer server;

	private ZooKeeperProxy proxy;

	private Instance instance;

	@BeforeEach
	void connect() throws Exception {
		this.server = new LocalServer();
		this.proxy = ZooKeeperProxy.to(this.server.port());
		this.instance = Instance.with(this.proxy.connectString(), Duration.ofSeconds(10), new ZooKeeperLockSettings(
				Instance.ROOT, "test", Duration.ofSeconds(1), Recipe.PIPELINED, Map.of(), true));
		await().until(this.instance.provider()::session,
				(session) -> session.state() == SessionSnapshot.State.CONNECTED);
	}

	@AfterEach
	void disconnect() throws Exception {
		this.instance.close();
		this.proxy.close();
		this.server.close();
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.CONNECTIONS_ARE_REFUSED)
	void doesNotWaitForAConnectionThatIsKnownToBeDown() {
		this.proxy.refuse();
		await().until(this.instance.provider()::session,
				(session) -> session.state() != SessionSnapshot.State.CONNECTED);
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.instance.template().acquire(FOREVER))
			.withMessageContaining("interlock.when-unavailable is fail-fast");
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.CONNECTIONS_ARE_REFUSED)
	void waiterFailsWhenTheConnectionGoesDown() {
		try (Instance holder = Instance.connectedTo(this.server.connectString())) {
			LockHandle held = holder.template().acquire(FOREVER);
			CompletableFuture<LockHandle> waiter = CompletableFuture
				.supplyAsync(() -> this.instance.template().acquire(FOREVER));
			await().until(() -> this.server.contenders(FOREVER).size() == 2);
			this.proxy.refuse();
			assertThat(waiter).failsWithin(Duration.ofSeconds(20))
				.withThrowableThat()
				.withCauseInstanceOf(LockServiceUnavailableException.class);
			this.proxy.heal();
			held.close();
			await().untilAsserted(() -> assertThat(this.server.contenders(FOREVER)).isEmpty());
		}
	}

	@Test
	void locksAgainWhenTheConnectionIsBack() {
		this.proxy.refuse();
		await().until(this.instance.provider()::session,
				(session) -> session.state() != SessionSnapshot.State.CONNECTED);
		this.proxy.heal();
		await().until(this.instance.provider()::session,
				(session) -> session.state() == SessionSnapshot.State.CONNECTED);
		this.instance.template().acquire(FOREVER).close();
		assertThat(this.server.contenders(FOREVER)).isEmpty();
	}

}

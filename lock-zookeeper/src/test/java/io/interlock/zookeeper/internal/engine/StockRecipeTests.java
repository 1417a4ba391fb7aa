package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.zookeeper.Peers;
import io.interlock.zookeeper.Recipe;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link CuratorLockProvider} with a server.
 */
@ExtendWith(SharedServer.class)
class StockRecipeTests {

	private static final LockRequest EXCLUSIVE = LockRequest.exclusive("stock");

	private static final LockRequest SHARED = LockRequest.shared("stock");

	private final LocalServer server;

	private Instance one;

	private Instance two;

	StockRecipeTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() {
		this.one = stockInstance();
		this.two = stockInstance();
	}

	private Instance stockInstance() {
		return Instance.with(this.server.connectString(), Duration.ofSeconds(30),
				Instance.settings(Recipe.CURATOR, Map.of("stock", Peers.READ_WRITE)));
	}

	@AfterEach
	void disconnect() {
		this.one.close();
		this.two.close();
	}

	@Test
	void exclusiveHolderExcludesOthers() {
		try (LockHandle held = this.one.template().acquire(EXCLUSIVE)) {
			assertThat(held.isValid()).isTrue();
			held.verify();
			assertThat(this.two.template().tryAcquire(EXCLUSIVE.withWaitTime(Duration.ZERO))).isEmpty();
			assertThat(this.two.template().tryAcquire(SHARED.withWaitTime(Duration.ZERO))).isEmpty();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.two.template().acquire(EXCLUSIVE.withWaitTime(Duration.ofSeconds(3))));
		}
		await().untilAsserted(() -> assertThat(this.server.contenders(EXCLUSIVE)).isEmpty());
	}

	@Test
	void sharedHoldersAreTogether() {
		try (LockHandle first = this.one.template().acquire(SHARED);
				LockHandle second = this.two.template().acquire(SHARED)) {
			assertThat(first.isValid()).isTrue();
			assertThat(second.isValid()).isTrue();
		}
	}

	@Test
	void waiterGetsTheLockWithAGreaterToken() throws Exception {
		LockHandle held = this.one.template().acquire(EXCLUSIVE);
		CompletableFuture<LockHandle> waiting = CompletableFuture
			.supplyAsync(() -> this.two.template().acquire(EXCLUSIVE));
		await().until(() -> this.server.contenders(EXCLUSIVE).size() == 2);
		held.close();
		try (LockHandle next = waiting.get(10, TimeUnit.SECONDS)) {
			assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		}
	}

	@Test
	void semaphoresAreThoseOfTheEngine() {
		LockRequest permit = LockRequest.semaphore("stock-permits", 2).withWaitTime(Duration.ZERO);
		try (LockHandle first = this.one.template().acquire(permit);
				LockHandle second = this.two.template().acquire(permit)) {
			assertThat(first.isValid()).isTrue();
			assertThat(second.isValid()).isTrue();
			assertThat(CompletableFuture.supplyAsync(() -> this.one.template().tryAcquire(permit)).join()).isEmpty();
			assertThat(this.server.contenders(permit)).hasSize(2).allMatch((name) -> name.contains("-permit-2-"));
		}
	}

	@Test
	void excludesInstancesWithTheGuardedRecipeWhosePeersAreReadWrite() {
		try (Instance guarded = Instance.with(this.server.connectString(), Duration.ofSeconds(30),
				Instance.settings(Recipe.PIPELINED, Map.of("stock", Peers.READ_WRITE)))) {
			try (LockHandle held = this.one.template().acquire(EXCLUSIVE)) {
				assertThat(guarded.template().tryAcquire(EXCLUSIVE.withWaitTime(Duration.ZERO))).isEmpty();
				assertThat(held.isValid()).isTrue();
			}
			try (LockHandle held = guarded.template().acquire(EXCLUSIVE)) {
				assertThat(this.one.template().tryAcquire(EXCLUSIVE.withWaitTime(Duration.ZERO))).isEmpty();
				assertThat(held.isValid()).isTrue();
			}
		}
	}

}

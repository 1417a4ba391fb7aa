package io.interlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.lease.LeaseAnswer;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStoreException;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.redis.RedisCluster;
import io.interlock.testsupport.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for locks that replicas confirm, on a real master with replicas.
 */
class RedisWaitReplicasTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final Duration SHORT = Duration.ofMillis(300);

	private static final Duration LONG = Duration.ofSeconds(9);

	private final RedisServer master = RedisServer.start("--repl-diskless-sync-delay", "0");

	private final RedisServer replica = replicaOf(this.master);

	private final RedisInstances instances = new RedisInstances(LEASE);

	@AfterEach
	void close() {
		this.instances.close();
		this.replica.close();
		this.master.close();
	}

	/** The server counts a replica only after the first answer of that. */
	private static void awaitReplicas(RedisServer master, int count) {
		await().atMost(LEASE)
			.until(() -> Integer.parseInt(master.command("WAIT", Integer.toString(count), "1000").get(0)) >= count);
	}

	private static RedisServer replicaOf(RedisServer master) {
		RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + master.port());
		await().atMost(LEASE).until(() -> replica.command("INFO", "replication").contains("master_link_status:up"));
		awaitReplicas(master, 1);
		return replica;
	}

	private RedisLeaseStore store(int replicas, Duration timeout) {
		return this.instances.store(RedisInstances.server(this.master.port()), replicas, timeout);
	}

	private static LeaseContender contender(String name) {
		return new LeaseContender(UUID.randomUUID().toString(), "test", new LockId(name, null), LockMode.EXCLUSIVE, 1,
				false);
	}

	private static boolean knows(RedisServer server, LeaseContender contender) {
		return server.command("HEXISTS", "interlock:{" + contender.lock() + "}", contender.id()).equals(List.of("1"));
	}

	private static CompletableFuture<LeaseAnswer> begin(RedisLeaseStore store, LeaseContender contender) {
		return store.acquire(contender, LEASE, false, Runnable::run).toCompletableFuture();
	}

	private static CompletableFuture<Optional<LockGrant>> begin(LockProvider instance) {
		return instance.attempt(LockRequest.exclusive("stock"), LockCaller.current()).outcome();
	}

	private static void assertUnconfirmed(CompletionStage<LeaseAnswer> lock, String message) {
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> lock.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join())
			.havingCause()
			.isInstanceOfSatisfying(LeaseStoreException.class, (ex) -> assertThat(ex.isPassing()).isTrue())
			.withMessageContaining(message);
	}

	private static String waits(RedisServer server) {
		return server.command("INFO", "commandstats")
			.stream()
			.filter((line) -> line.startsWith("cmdstat_wait:"))
			.map((line) -> line.replaceFirst("^cmdstat_wait:calls=(\\d+),.*$", "$1"))
			.findFirst()
			.orElse("0");
	}

	@Test
	void replicaHasTheLockBeforeItsCaller() {
		RedisLeaseStore store = store(1, LONG);
		for (int i = 0; i < 50; i++) {
			LeaseContender holder = contender("stock");
			assertThat(store.acquire(holder, LEASE, false).granted()).isTrue();
			assertThat(knows(this.replica, holder)).isTrue();
			assertThat(store.acquire(contender("stock"), LEASE, false).granted()).isFalse();
			assertThat(store.release(holder)).isTrue();
		}
	}

	@Test
	void eachOfTwoReplicasHasToConfirm() {
		RedisLeaseStore store = store(2, Duration.ofSeconds(2));
		assertUnconfirmed(begin(store, contender("stock")),
				"1 of 2 replicas confirmed the lock within 2000 ms (interlock.redis.wait-replicas");
		try (RedisServer second = replicaOf(this.master)) {
			LeaseContender holder = contender("shop");
			awaitReplicas(this.master, 2);
			assertThat(store.acquire(holder, LEASE, false).granted()).isTrue();
			assertThat(knows(this.replica, holder)).isTrue();
			assertThat(knows(second, holder)).isTrue();
		}
	}

	@Test
	void lockThatNoReplicaConfirmsIsUnavailableAndFree() {
		LockProvider instance = this.instances.startConfirmed(RedisInstances.server(this.master.port()), SHORT);
		LockProvider other = this.instances.startConfirmed(RedisInstances.server(this.master.port()), LONG);
		this.replica.pause();
		try {
			assertThat(begin(instance)).failsWithin(LEASE)
				.withThrowableThat()
				.havingCause()
				.isInstanceOf(LockServiceUnavailableException.class)
				.withMessageContaining("0 of 1 replicas confirmed the lock within 300 ms");
			await().atMost(LEASE).until(() -> RedisInstances.contenders(this.master, "stock") == 0);
		}
		finally {
			this.replica.resume();
		}
		assertThat(begin(other)).succeedsWithin(LEASE).extracting(Optional::isPresent).isEqualTo(true);
	}

	@Test
	void renewalsAndReleasesDoNotWaitForReplicas() {
		RedisLeaseStore store = store(1, LONG);
		LeaseContender holder = contender("stock");
		assertThat(store.acquire(holder, LEASE, false).granted()).isTrue();
		this.replica.pause();
		try {
			CompletableFuture<LeaseAnswer> waiting = begin(store, contender("shop"));
			awaitBlockedClient();
			assertThat(store.renew(Set.of(holder), LEASE).renewed()).containsExactly(holder);
			assertThat(store.isHeld(holder)).isTrue();
			assertThat(store.release(holder)).isTrue();
			assertThat(waiting).isNotDone();
		}
		finally {
			this.replica.resume();
		}
	}

	private void awaitBlockedClient() {
		await().atMost(LEASE).until(() -> this.master.command("INFO", "clients").contains("blocked_clients:1"));
	}

	@Test
	void locksThatAreAskedForTogetherHaveFewWaits() {
		RedisLeaseStore store = store(1, LONG);
		assertThat(store.acquire(contender("first"), LEASE, false).granted()).isTrue();
		this.replica.pause();
		List<CompletableFuture<LeaseAnswer>> locks;
		try {
			this.master.command("CONFIG", "RESETSTAT");
			locks = IntStream.range(0, 100).mapToObj((i) -> begin(store, contender("stock-" + i))).toList();
			awaitBlockedClient();
		}
		finally {
			this.replica.resume();
		}
		assertThat(locks).allSatisfy((lock) -> assertThat(lock).succeedsWithin(LEASE)
			.satisfies((answer) -> assertThat(answer.granted()).isTrue()));
		assertThat(waits(this.master)).isEqualTo("2");
	}

	/**
	 * Lettuce sends {@code WAIT} again on the new connection, where it has nothing to
	 * wait for and counts each replica that is connected.
	 */
	@Test
	void connectionThatBreaksConfirmsNothing() {
		try (TcpProxy proxy = TcpProxy.to(this.master.port())) {
			RedisLeaseStore store = this.instances.store(RedisInstances.server(proxy.port()), 1, LONG);
			assertThat(store.acquire(contender("first"), LEASE, false).granted()).isTrue();
			this.replica.pause();
			try {
				CompletableFuture<LeaseAnswer> lock = begin(store, contender("stock"));
				awaitBlockedClient();
				proxy.cut();
				assertUnconfirmed(lock, "");
			}
			finally {
				this.replica.resume();
			}
			await().atMost(LEASE)
				.ignoreExceptions()
				.until(() -> store.acquire(contender("other"), LEASE, false).granted());
		}
	}

	@Test
	void failOverKeepsALockThatTheReplicaConfirmed() {
		LeaseContender holder = contender("stock");
		long token = store(1, LONG).acquire(holder, LEASE, false).token();
		this.master.kill();
		this.replica.command("REPLICAOF", "NO", "ONE");
		RedisLeaseStore next = this.instances.store(RedisInstances.server(this.replica.port()));
		assertThat(next.acquire(contender("stock"), LEASE, false)).isEqualTo(LeaseAnswer.heldBy(token));
		assertThat(next.renew(Set.of(holder), LEASE).renewed()).containsExactly(holder);
	}

	@Test
	void staticAddressesAreConfirmedByTheReplicaOfTheMaster() {
		RedisStaticMasterReplicaConfiguration servers = new RedisStaticMasterReplicaConfiguration("127.0.0.1",
				this.replica.port())
			.node("127.0.0.1", this.master.port());
		RedisLeaseStore store = this.instances.store(servers, 1, LONG);
		LeaseContender holder = contender("stock");
		assertThat(store.acquire(holder, LEASE, false).granted()).isTrue();
		assertThat(knows(this.replica, holder)).isTrue();
	}

	@Test
	void masterThatHasTheSlotWaitsInACluster() {
		try (RedisCluster cluster = RedisCluster.start(3)) {
			RedisLeaseStore store = this.instances.store(new RedisClusterConfiguration(cluster.addresses()), 1, SHORT);
			for (int i = 0; i < 12; i++) {
				assertUnconfirmed(begin(store, contender("stock-" + i)), "0 of 1 replicas");
			}
			assertThat(cluster.masters()).extracting(RedisWaitReplicasTests::waits).doesNotContain("0");
		}
	}

	@Test
	void startIsRefusedWithoutReplicas() {
		this.replica.close();
		RedisLeaseStore store = store(1, SHORT);
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(store::check)
			.withMessageContaining("0 of 1 replicas");
	}

	@Test
	void nothingWaitsWithoutTheProperty() {
		this.master.command("CONFIG", "RESETSTAT");
		RedisLeaseStore store = this.instances.store(RedisInstances.server(this.master.port()));
		assertThat(store.acquire(contender("stock"), LEASE, false).granted()).isTrue();
		assertThat(waits(this.master)).isEqualTo("0");
		assertThat(this.master.command("INFO", "clients")).as("one of the store, one of redis-cli")
			.contains("connected_clients:2");
	}

}

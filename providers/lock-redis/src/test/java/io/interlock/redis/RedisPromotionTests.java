package io.interlock.redis;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.lease.LeaseSettings;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.testsupport.redis.RedisCluster;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.tier.Deep;
import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Fault run of fail-overs that Sentinel and a cluster make by themselves. A master is
 * killed as soon as it has granted a lock, every second one while its replica stands
 * still and misses the grant. Prints how many locks were granted beside their holder.
 * {@code -Dredis.promotions.duration} (5m, for instance) makes longer runs.
 */
@Deep
class RedisPromotionTests {

	private static final Duration LEASE = Duration.ofSeconds(12);

	private static final Duration TIMEOUT = Duration.ofMillis(300);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final String MASTER = "locks";

	@ParameterizedTest
	@CsvSource({ "SENTINEL, 0", "SENTINEL, 1", "CLUSTER, 0", "CLUSTER, 1" })
	void overlapsAreToldAndFenced(Promotion promotion, int replicas) throws Exception {
		long until = System.nanoTime()
				+ DurationStyle.detectAndParse(System.getProperty("redis.promotions.duration", "30s")).toNanos();
		Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
		int runs = 0;
		while (runs < 2 || System.nanoTime() - until < 0) {
			try (Servers servers = promotion.start.get()) {
				outcomes.merge(failOver(servers, replicas, runs++ % 2 == 1), 1, Integer::sum);
			}
		}
		System.out.printf("FIGURE %d fail-overs by %s with wait-replicas=%d: %s%n", runs, promotion, replicas,
				outcomes);
		if (replicas > 0) {
			assertThat(outcomes).containsKey(Outcome.REFUSED)
				.doesNotContainKeys(Outcome.OVERLAP_TOLD_AND_FENCED, Outcome.LOST_BEFORE_THE_NEXT_GRANT);
		}
		else {
			assertThat(outcomes).doesNotContainKey(Outcome.REFUSED);
		}
	}

	private static Outcome failOver(Servers servers, int replicas, boolean missed) throws Exception {
		try (RedisInstances instances = new RedisInstances(LEASE)) {
			LockProvider instance = (replicas > 0) ? instances.startConfirmed(servers.configuration(), TIMEOUT)
					: start(instances, servers);
			LockProvider other = start(instances, servers);
			grant(other, "warm").orElseThrow().release().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			if (missed) {
				servers.replica.pause();
				servers.master.command("CLIENT", "KILL", "TYPE", "replica");
			}
			LockGrant old = grant(instance, "stock").orElse(null);
			servers.master.kill();
			if (missed) {
				servers.replica.resume();
			}
			if (old == null) {
				return Outcome.REFUSED;
			}
			return judge(old, grant(other, "stock").orElse(null));
		}
	}

	private static Outcome judge(LockGrant old, LockGrant next) {
		if (next == null) {
			await().atMost(PATIENCE).until(() -> old.state() == LockState.VALID);
			return Outcome.KEPT;
		}
		boolean covered = old.isCovered();
		assertThat(next.fencingToken()).isGreaterThan(old.fencingToken());
		await().atMost(PATIENCE).until(() -> old.state() == LockState.LOST);
		await().atMost(PATIENCE).until(() -> next.state() == LockState.VALID);
		return covered ? Outcome.OVERLAP_TOLD_AND_FENCED : Outcome.LOST_BEFORE_THE_NEXT_GRANT;
	}

	private static LockProvider start(RedisInstances instances, Servers servers) {
		return instances.start(servers.configuration(),
				new LeaseSettings("test", LEASE, Duration.ofMillis(50), Duration.ofSeconds(5), 4, false));
	}

	/** Try to acquire the lock; empty if it is held, or no replica confirms it. */
	private static Optional<LockGrant> grant(LockProvider instance, String name) throws Exception {
		CompletableFuture<Optional<LockGrant>> outcome = instance
			.attempt(LockRequest.exclusive(name).withWaitTime(Duration.ZERO), LockCaller.current())
			.outcome();
		try {
			return outcome.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		}
		catch (ExecutionException ex) {
			assertThat(ex).hasMessageContaining("0 of 1 replicas confirmed");
			return Optional.empty();
		}
	}

	enum Promotion {

		SENTINEL(Servers::withSentinel), CLUSTER(Servers::inCluster);

		private final Supplier<Servers> start;

		Promotion(Supplier<Servers> start) {
			this.start = start;
		}

	}

	enum Outcome {

		REFUSED, KEPT, LOST_BEFORE_THE_NEXT_GRANT, OVERLAP_TOLD_AND_FENCED

	}

	/** A master, its replica, and what promotes that. */
	private record Servers(RedisConfiguration configuration, RedisServer master, RedisServer replica,
			List<Runnable> closings) implements AutoCloseable {

		static Servers withSentinel() {
			RedisServer master = RedisServer.start("--repl-diskless-sync-delay", "0");
			RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + master.port());
			awaitReplica(master, replica);
			RedisServer sentinel = RedisServer.sentinel(MASTER, master);
			return new Servers(new RedisSentinelConfiguration().master(MASTER).sentinel("127.0.0.1", sentinel.port()),
					master, replica, List.of(sentinel::close, replica::close, master::close));
		}

		static Servers inCluster() {
			RedisCluster cluster = RedisCluster.start(3, "--cluster-node-timeout", "1000",
					"--cluster-replica-validity-factor", "0", "--repl-diskless-sync-delay", "0");
			RedisServer master = cluster.masterOf(SlotHash.getSlot("stock"));
			RedisServer replica = cluster.addReplica(master);
			awaitReplica(master, replica);
			return new Servers(new RedisClusterConfiguration(cluster.addresses()), master, replica,
					List.of(cluster::close));
		}

		private static void awaitReplica(RedisServer master, RedisServer replica) {
			await().atMost(PATIENCE)
				.until(() -> replica.command("INFO", "replication").contains("master_link_status:up"));
			await().atMost(PATIENCE).until(() -> master.command("WAIT", "1", "1000").equals(List.of("1")));
		}

		@Override
		public void close() {
			this.closings.forEach(Runnable::run);
		}

	}

}

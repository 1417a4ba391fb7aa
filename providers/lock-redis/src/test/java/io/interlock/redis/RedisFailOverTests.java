package io.interlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Fails over from masters that are killed as soon as they have granted a lock, every
 * second one of which could tell its replica nothing before. Prints how many locks were
 * granted beside their holder.
 */
@Deep
class RedisFailOverTests {

	private static final Duration LEASE = Duration.ofSeconds(12);

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int FAIL_OVERS = 20;

	@ParameterizedTest
	@ValueSource(ints = { 0, 1 })
	void overlapsAreToldAndFenced(int replicas) throws Exception {
		int refused = 0;
		int overlaps = 0;
		for (int i = 0; i < FAIL_OVERS; i++) {
			switch (failOver(replicas, i % 2 == 1)) {
				case REFUSED -> refused++;
				case OVERLAP -> overlaps++;
				case KEPT -> {
				}
			}
		}
		System.out.printf("FIGURE %d fail-overs with wait-replicas=%d: %d refused, %d overlaps, told and fenced%n",
				FAIL_OVERS, replicas, refused, overlaps);
		if (replicas > 0) {
			assertThat(overlaps).isZero();
			assertThat(refused).isGreaterThanOrEqualTo(FAIL_OVERS / 2);
		}
		else {
			assertThat(overlaps).isGreaterThanOrEqualTo(FAIL_OVERS / 2);
		}
	}

	private static Outcome failOver(int replicas, boolean paused) throws Exception {
		try (RedisServer master = RedisServer.start("--repl-diskless-sync-delay", "0");
				TcpProxy replication = TcpProxy.to(master.port());
				RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + replication.port());
				TcpProxy link = TcpProxy.to(master.port());
				RedisInstances instances = new RedisInstances(LEASE)) {
			await().atMost(PATIENCE)
				.until(() -> replica.command("INFO", "replication").contains("master_link_status:up"));
			await().atMost(PATIENCE).until(() -> master.command("WAIT", "1", "1000").equals(List.of("1")));
			LockProvider instance = start(instances, link.port(), replicas);
			LockProvider other = start(instances, replica.port(), 0);
			if (paused) {
				replication.holdReplies();
			}
			LockGrant old = grant(instance).orElse(null);
			master.kill();
			replica.command("REPLICAOF", "NO", "ONE");
			if (old == null) {
				return Outcome.REFUSED;
			}
			LockGrant next = grant(other).orElse(null);
			boolean overlap = next != null && old.isCovered();
			link.redirect(replica.port());
			if (!overlap) {
				assertThat(next).as("the replica has the lock").isNull();
				await().atMost(PATIENCE).until(() -> old.state() == LockState.VALID);
				return Outcome.KEPT;
			}
			assertThat(next.fencingToken()).isGreaterThan(old.fencingToken());
			await().atMost(PATIENCE).until(() -> old.state() == LockState.LOST);
			await().atMost(PATIENCE).until(() -> next.state() == LockState.VALID);
			return Outcome.OVERLAP;
		}
	}

	private static LeaseLockProvider start(RedisInstances instances, int port, int replicas) {
		return (replicas > 0) ? instances.startConfirmed(RedisInstances.server(port), TIMEOUT)
				: instances.start(RedisInstances.server(port),
						new LeaseSettings("test", LEASE, Duration.ofMillis(50), Duration.ofSeconds(5), 4, false));
	}

	/** Try to acquire the lock; empty if it is held, or no replica confirms it. */
	private static Optional<LockGrant> grant(LockProvider instance) throws Exception {
		CompletableFuture<Optional<LockGrant>> outcome = instance
			.attempt(LockRequest.exclusive("stock").withWaitTime(Duration.ZERO), LockCaller.current())
			.outcome();
		try {
			return outcome.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		}
		catch (ExecutionException ex) {
			assertThat(ex).hasMessageContaining("0 of 1 replicas confirmed");
			return Optional.empty();
		}
	}

	private enum Outcome {

		REFUSED, OVERLAP, KEPT

	}

}

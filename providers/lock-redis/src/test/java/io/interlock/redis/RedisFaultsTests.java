package io.interlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.tier.Deep;
import io.interlock.testsupport.time.MovedTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for servers that lose their data, tell nothing, start late, and fail over.
 */
class RedisFaultsTests {

	private static final Duration LEASE = Duration.ofSeconds(15);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/** Between two questions of a contender that waits. */
	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

	private final RedisServer server = RedisServer.start();

	private final RedisInstances instances = new RedisInstances(LEASE);

	@AfterEach
	void close() {
		this.instances.close();
		this.server.close();
	}

	private static LockAttempt begin(LockProvider instance) {
		return instance.attempt(LockRequest.exclusive("stock"), LockCaller.current());
	}

	private static LockGrant answer(LockAttempt attempt) throws Exception {
		return attempt.outcome().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).orElseThrow();
	}

	@Test
	void tokensGrowAcrossRestartWithoutData() throws Exception {
		LockProvider instance = this.instances.start(this.server);
		LockProvider other = this.instances.start(this.server);
		LockGrant lost = answer(begin(instance));
		long before = System.nanoTime();
		this.server.kill();
		this.server.restart();
		assertThat(this.server.command("DBSIZE")).containsExactly("0");
		LockGrant next = answer(begin(other));
		print("kill -9 of the server and restart without data to the next grant", before);
		assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
		await().atMost(PATIENCE).until(() -> lost.state() == LockState.LOST);
		print("kill -9 of the server and restart without data to the loss being known to the old holder", before);
		await().untilAsserted(() -> assertThat(next.state() == LockState.VALID).isTrue());
	}

	@Test
	@Deep
	void promotedReplicaGrantsTwiceAndTheTokenRefusesTheOldHolder() throws Exception {
		try (TcpProxy replication = TcpProxy.to(this.server.port());
				RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + replication.port())) {
			LockProvider instance = this.instances.startBehindProxy(this.server);
			answer(begin(instance)).release().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			await().atMost(PATIENCE).until(() -> replica.command("HKEYS", "interlock:{stock}").equals(List.of("last")));
			replication.holdReplies();
			LockGrant old = answer(begin(instance));
			long before = System.nanoTime();
			this.server.kill();
			replica.command("REPLICAOF", "NO", "ONE");
			LockGrant next = answer(begin(this.instances.start(replica)));
			print("kill -9 of the primary to the second grant by its replica", before);
			assertThat(old.isCovered()).as("the lock is granted twice").isTrue();
			assertThat(next.fencingToken()).isGreaterThan(old.fencingToken());
			FencedResource resource = new FencedResource();
			assertThat(resource.write(next.fencingToken())).isTrue();
			assertThat(resource.write(old.fencingToken())).as("the fence refuses the old holder").isFalse();
			this.instances.proxyOf(instance).redirect(replica.port());
			await().atMost(PATIENCE).until(() -> old.state() == LockState.LOST);
			print("kill -9 of the primary to the loss being known to the old holder", before);
			await().untilAsserted(() -> assertThat(next.state() == LockState.VALID).isTrue());
		}
	}

	/**
	 * The server refuses the message of a release, which the script passes over, as it
	 * may get lost on its way.
	 */
	@Test
	void releaseIsNoticedWithinASecondWithoutAMessage() throws Exception {
		this.server.command("ACL", "SETUSER", "default", "-publish");
		Duration step = Duration.ofMillis(100);
		try (MovedTime time = new MovedTime();
				RedisInstances moved = new RedisInstances(LEASE.multipliedBy(4), Duration.ofMillis(50), time)) {
			LockGrant grant = answer(begin(moved.start(this.server)));
			LockAttempt waiting = begin(moved.start(this.server));
			await().atMost(PATIENCE).until(() -> waiting.phase() == LockAttempt.Phase.QUEUED);
			time.advance(Duration.ofMinutes(1), Duration.ofSeconds(1));
			assertThat(waiting.outcome()).isNotDone();
			assertThat(grant.release()).succeedsWithin(PATIENCE).isEqualTo(LockState.RELEASED);
			assertThat(this.server.command("ACL", "LOG")).contains("publish");
			time.advance(LONGEST_PAUSE.plus(step), step);
			assertThat(waiting.outcome()).isCompletedWithValueMatching(Optional::isPresent);
		}
	}

	@Test
	@Deep
	void instanceThatStartsBeforeTheServerLocksAndListens() throws Exception {
		this.server.kill();
		LockProvider instance = this.instances.start(this.server);
		LockAttempt attempt = begin(instance);
		await().atMost(PATIENCE).until(() -> attempt.obstacle() != null);
		assertThat(attempt.phase()).isEqualTo(LockAttempt.Phase.CONNECTING);
		this.server.restart();
		answer(attempt).release();
		await().atMost(PATIENCE).until(() -> listeners() == 1);
		this.server.kill();
		this.server.restart();
		await().atMost(PATIENCE).until(() -> listeners() == 1);
	}

	private int listeners() {
		return this.server.command("PUBSUB", "CHANNELS", "interlock:freed:*").size();
	}

	private static void print(String what, long since) {
		System.out.printf("FIGURE %s: %d ms%n", what, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since));
	}

	/**
	 * Remembers the greatest token, and refuses smaller ones.
	 */
	private static final class FencedResource {

		private long greatest;

		boolean write(long token) {
			if (token < this.greatest) {
				return false;
			}
			this.greatest = token;
			return true;
		}

	}

}

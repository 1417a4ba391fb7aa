package io.interlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStoreException;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.time.MovedTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for servers whose memory is full, and for those that may evict locks.
 */
@ExtendWith(OutputCaptureExtension.class)
class FullRedisTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final String WARNING = "may evict held locks";

	private final RedisServer server = RedisServer.start();

	private final MovedTime time = new MovedTime();

	private final RedisInstances instances = new RedisInstances(LEASE, Duration.ofMillis(20), this.time);

	@AfterEach
	void close() {
		this.instances.close();
		this.time.close();
		this.server.close();
	}

	private static LockAttempt begin(LockProvider instance, LockRequest request) {
		return instance.attempt(request, LockCaller.current());
	}

	private static Optional<LockGrant> answer(LockAttempt attempt) throws Exception {
		return attempt.outcome().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	private void fill() {
		this.server.command("CONFIG", "SET", "maxmemory", "4mb");
		this.server.command("EVAL", "for i = 1, 500 do redis.call('SET', 'data-' .. i, string.rep('x', 10000)) end",
				"0");
		assertThat(this.server.command("SET", "more", "x").toString()).contains("OOM");
	}

	@Test
	void holdsAndWaitersLiveOnAServerWithoutMemory() throws Exception {
		LockProvider instance = this.instances.start(this.server);
		LockProvider other = this.instances.start(this.server);
		LockGrant exclusive = answer(begin(instance, LockRequest.exclusive("stock"))).orElseThrow();
		LockGrant shared = answer(begin(instance, LockRequest.shared("prices"))).orElseThrow();
		LockGrant permit = answer(begin(instance, LockRequest.semaphore("printers", 2))).orElseThrow();
		LockAttempt waiting = begin(other, LockRequest.exclusive("stock"));
		await().atMost(PATIENCE).until(() -> waiting.phase() == LockAttempt.Phase.QUEUED);
		fill();
		this.time.advance(LEASE.multipliedBy(3), LEASE.dividedBy(50));
		List<LockGrant> grants = List.of(exclusive, shared, permit);
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(grants).extracting(LockGrant::state).containsOnly(LockState.VALID));
		for (LockGrant grant : grants) {
			grant.verify();
		}
		assertThat(waiting.outcome()).isNotDone();
		exclusive.release().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		LockGrant next = answer(waiting).orElseThrow();
		assertThat(next.fencingToken()).isGreaterThan(exclusive.fencingToken());
		next.verify();
		assertThat(Stream.of(next, shared, permit).map(LockGrant::release).map((released) -> released.join()))
			.containsOnly(LockState.RELEASED);
	}

	@Test
	void lackOfMemoryIsToldAsSuchUntilThereIsSome() {
		RedisLeaseStore store = this.instances.store(RedisInstances.server(this.server.port()));
		fill();
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> store.acquire(contender(), LEASE, true))
			.withMessageContaining("Redis has no memory left for further locks")
			.withMessageContaining("Raise its maxmemory")
			.matches(LeaseStoreException::isPassing);
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(store::check)
			.withMessageContaining("Redis has no memory left for further locks")
			.matches(LeaseStoreException::isPassing);
		this.server.command("FLUSHALL");
		store.check();
		assertThat(store.acquire(contender(), LEASE, true).granted()).isTrue();
	}

	private static LeaseContender contender() {
		return new LeaseContender(UUID.randomUUID().toString(), "test", new LockId("stock", null), LockMode.EXCLUSIVE,
				1, false);
	}

	@Test
	void serverThatMayEvictLocksIsToldOnce(CapturedOutput output) {
		this.server.command("CONFIG", "SET", "maxmemory", "100mb");
		this.server.command("CONFIG", "SET", "maxmemory-policy", "volatile-lru");
		this.instances.start(this.server);
		awaitListeners(1);
		assertThat(output).containsOnlyOnce(WARNING).contains("volatile-lru");
	}

	@Test
	void serverThatEvictsNothingIsNoWarning(CapturedOutput output) {
		this.server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		this.instances.start(this.server);
		awaitListeners(1);
		this.server.command("CONFIG", "SET", "maxmemory", "100mb");
		this.server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
		this.instances.start(this.server);
		awaitListeners(2);
		assertThat(output).doesNotContain(WARNING);
	}

	private void awaitListeners(int count) {
		await().atMost(PATIENCE)
			.until(() -> this.server.command("PUBSUB", "CHANNELS", "interlock:freed:*").size() == count);
	}

}

package io.interlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.lease.LeaseContender;
import io.interlock.testsupport.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the static addresses of a master and its replica, whose shared connection has
 * no messages.
 */
class RedisMasterReplicaTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final RedisServer master = RedisServer.start();

	private final RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + this.master.port());

	private final RedisInstances instances = new RedisInstances(LEASE);

	@AfterEach
	void close() {
		this.instances.close();
		this.replica.close();
		this.master.close();
	}

	private RedisStaticMasterReplicaConfiguration servers() {
		return new RedisStaticMasterReplicaConfiguration("127.0.0.1", this.replica.port()).node("127.0.0.1",
				this.master.port());
	}

	private static LeaseContender contender() {
		return new LeaseContender(UUID.randomUUID().toString(), "test", new LockId("stock", null), LockMode.EXCLUSIVE,
				1, false);
	}

	@Test
	void eachReleaseIsToldToTheInstanceWhoseTurnComes() {
		RedisLeaseStore first = this.instances.store(servers());
		RedisLeaseStore second = this.instances.store(servers());
		List<String> told = new CopyOnWriteArrayList<>();
		first.listen((lock) -> told.add("first"));
		second.listen((lock) -> told.add("second"));
		await().until(() -> this.master.command("PUBSUB", "CHANNELS", "interlock:freed:*").size() == 2);
		LeaseContender holder = contender();
		first.acquire(holder, LEASE, true);
		for (int i = 1; i <= 20; i++) {
			boolean odd = i % 2 == 1;
			LeaseContender next = contender();
			(odd ? second : first).acquire(next, LEASE, true);
			assertThat((odd ? first : second).release(holder)).isTrue();
			int count = i;
			await().until(() -> told.size() == count);
			assertThat(told.get(i - 1)).isEqualTo(odd ? "second" : "first");
			assertThat((odd ? second : first).acquireInTurn(next, LEASE).granted()).isTrue();
			holder = next;
		}
		first.close();
		second.close();
		await().until(() -> this.master.command("PUBSUB", "CHANNELS", "interlock:freed:*").isEmpty());
	}

}

package io.interlock.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.interlock.LockRequest;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseStoreSnapshot;
import io.interlock.lease.LeaseStoreSnapshot.State;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.time.MovedTime;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * What the health of locks in Redis says of a server that refuses.
 */
class RedisRefusalTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	static Stream<Arguments> refusals() {
		return Stream.of(argumentSet("without a password", (Consumer<RedisServer>) (server) -> {
			server.command("CONFIG", "SET", "requirepass", "secret");
			server.command("-a", "secret", "CLIENT", "KILL", "TYPE", "normal");
		}, "Redis does not accept the user or the password"),
				argumentSet("a replica",
						(Consumer<RedisServer>) (server) -> server.command("REPLICAOF", "127.0.0.1", "1"), "READONLY"),
				argumentSet("no server", (Consumer<RedisServer>) RedisServer::close,
						"Redis is not available: Connection refused: /127.0.0.1:"));
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void isToldAtOnceWhileLocksAreUsed(Consumer<RedisServer> refusal, String told) throws Exception {
		refused(refusal, told, true);
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void isToldAtTheNextLookWhileNothingIsUsed(Consumer<RedisServer> refusal, String told) throws Exception {
		refused(refusal, told, false);
	}

	private static void refused(Consumer<RedisServer> refusal, String told, boolean used) throws Exception {
		try (MovedTime time = new MovedTime();
				RedisServer server = RedisServer.start();
				RedisInstances instances = new RedisInstances(LEASE);
				LeaseLockProvider provider = start(instances, server, time)) {
			attempt(provider).outcome().get(30, TimeUnit.SECONDS).orElseThrow().release().get(30, TimeUnit.SECONDS);
			assertThat(provider.currentSnapshot().state()).isEqualTo(State.CONNECTED);
			refusal.accept(server);
			if (used) {
				LockAttempt attempt = attempt(provider);
				await().until(() -> attempt.obstacle() != null || attempt.outcome().isDone());
				attempt.abandon();
			}
			else {
				time.jump(LEASE.dividedBy(3));
			}
			await().untilAsserted(() -> {
				// A look waits a second at most, and a busy machine may take longer.
				LeaseStoreSnapshot snapshot = provider.currentSnapshot();
				assertThat(snapshot.state()).isNotEqualTo(State.CONNECTED);
				assertThat(snapshot.failure()).contains(told);
			});
		}
	}

	/** The store has the connections of Lettuce itself, so its clock is not moved. */
	private static LeaseLockProvider start(RedisInstances instances, RedisServer server, MovedTime time) {
		return new LeaseLockProvider(instances.store(RedisInstances.server(server.port()), 0, Duration.ofSeconds(30)),
				new LeaseSettings("test", LEASE, Duration.ofMillis(50), Duration.ofSeconds(5), 4, false),
				new MovedLeaseTime(time));
	}

	private static LockAttempt attempt(LeaseLockProvider provider) {
		return provider.attempt(LockRequest.exclusive("stock").withWaitTime(Duration.ofMinutes(1)),
				LockCaller.current());
	}

}

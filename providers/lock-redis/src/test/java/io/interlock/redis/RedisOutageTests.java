package io.interlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An outage of Redis that a hold survives.
 */
class RedisOutageTests {

	private static final Duration LEASE = Duration.ofSeconds(15);

	private static final Duration OUTAGE = Duration.ofSeconds(11);

	static Stream<Named<Consumer<TcpProxy>>> outages() {
		return Stream.of(Named.of("refused", TcpProxy::refuse), Named.of("silent", TcpProxy::blackHole));
	}

	@Deep
	@ParameterizedTest
	@MethodSource("outages")
	void holdOutlivesAnOutageOfElevenSeconds(Consumer<TcpProxy> outage) throws Exception {
		try (RedisServer server = RedisServer.start(); RedisInstances instances = new RedisInstances(LEASE)) {
			LeaseLockProvider provider = instances.startBehindProxy(server);
			LockGrant hold = provider.attempt(LockRequest.exclusive("stock"), LockCaller.current())
				.outcome()
				.get(30, TimeUnit.SECONDS)
				.orElseThrow();
			awaitNextRenewal(server);
			// Almost until the next one.
			pass(LEASE.dividedBy(12).minusMillis(250));
			outage.accept(instances.proxyOf(provider));
			pass(OUTAGE);
			instances.proxyOf(provider).heal();
			await().atMost(Duration.ofSeconds(10)).until(() -> hold.state() != LockState.UNCONFIRMED);
			assertThat(hold.state()).isEqualTo(LockState.VALID);
			assertThat(hold.release().get(30, TimeUnit.SECONDS)).isEqualTo(LockState.RELEASED);
		}
	}

	private static void awaitNextRenewal(RedisServer server) {
		List<String> before = lock(server);
		await().pollInterval(Duration.ofMillis(20)).atMost(LEASE).until(() -> !lock(server).equals(before));
	}

	private static List<String> lock(RedisServer server) {
		return server.command("HGETALL", "interlock:{stock}");
	}

	private static void pass(Duration time) throws InterruptedException {
		assertThat(new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
	}

}

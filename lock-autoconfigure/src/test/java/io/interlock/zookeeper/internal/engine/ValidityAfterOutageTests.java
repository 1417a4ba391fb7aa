package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.interlock.LockGrant;
import io.interlock.LockHandle;
import io.interlock.LockOwner;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.TcpProxy;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what a holder is told of an interruption that the session survives, and that
 * is longer than half of its timeout.
 */
class ValidityAfterOutageTests {

	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(12);

	private static final Duration OUTAGE = Duration.ofSeconds(6);

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.THE_CONNECTION_IS_SUSPENDED, note = "of half a session timeout")
	void holdIsUnconfirmedOnceAndValidAgainOnce() throws Exception {
		try (LocalServer server = new LocalServer();
				TcpProxy proxy = TcpProxy.to(server.port());
				Instance instance = Instance.connectedTo(proxy.connectString(), SESSION_TIMEOUT)) {
			List<LockState> states = new CopyOnWriteArrayList<>();
			LockGrant grant = instance.provider()
				.attempt(LockRequest.exclusive("validity"), LockOwner.current())
				.outcome()
				.get(10, TimeUnit.SECONDS)
				.orElseThrow();
			grant.onStateChange(states::add);
			proxy.refuse();
			long healAt = System.nanoTime() + OUTAGE.toNanos();
			await().untilAsserted(() -> assertThat(states).containsExactly(LockState.UNCONFIRMED));
			await().until(() -> System.nanoTime() - healAt >= 0);
			proxy.heal();
			await().untilAsserted(() -> assertThat(states).containsExactly(LockState.UNCONFIRMED, LockState.VALID));
			await().during(SESSION_TIMEOUT.dividedBy(2))
				.atMost(SESSION_TIMEOUT)
				.untilAsserted(() -> assertThat(states).containsExactly(LockState.UNCONFIRMED, LockState.VALID));
			assertThat(grant.isValid()).isTrue();
			grant.release().get(10, TimeUnit.SECONDS);
		}
	}

	/**
	 * A third of 20 seconds and the time until an answer settles are more than what is
	 * asked for here, if the session counts from when it is met.
	 */
	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.THE_SERVERS_ARE_SILENT,
			note = "right after the start of the application")
	void holdOfAnApplicationThatHasJustStartedStaysValidInAnOutage() throws Exception {
		try (LocalServer server = new LocalServer(); TcpProxy proxy = TcpProxy.to(server.port())) {
			new ApplicationContextRunner()
				.withConfiguration(
						AutoConfigurations.of(CuratorAutoConfiguration.class, InterlockAutoConfiguration.class))
				.withPropertyValues("interlock.zookeeper.connect-string=" + proxy.connectString(),
						"interlock.zookeeper.session-timeout=20s")
				.run((context) -> {
					try (LockHandle lock = context.getBean(LockTemplate.class)
						.acquire(LockRequest.exclusive("just-started"))) {
						proxy.blackHole();
						long until = System.nanoTime() + Duration.ofSeconds(6).toNanos();
						await().until(() -> System.nanoTime() - until >= 0);
						assertThat(lock.isValid()).isTrue();
						proxy.heal();
					}
				});
		}
	}

}

package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
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

	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(6);

	private static final Duration OUTAGE = Duration.ofSeconds(3);

	/**
	 * A machine that stands still ends a session or a lease: another time it does not.
	 */
	private static final int TRIES = 5;

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.THE_CONNECTION_IS_SUSPENDED, note = "of half a session timeout")
	void holdIsUnconfirmedOnceAndValidAgainOnce() throws Exception {
		List<LockState> states = statesInAnOutage();
		for (int tries = 1; tries < TRIES && states.contains(LockState.LOST); tries++) {
			states = statesInAnOutage();
		}
		assertThat(states).containsExactly(LockState.UNCONFIRMED, LockState.VALID);
	}

	private static List<LockState> statesInAnOutage() throws Exception {
		try (LocalServer server = new LocalServer();
				TcpProxy proxy = TcpProxy.to(server.port());
				Instance instance = Instance.connectedTo(proxy.connectString(), SESSION_TIMEOUT)) {
			List<LockState> states = new CopyOnWriteArrayList<>();
			LockGrant grant = instance.provider()
				.attempt(LockRequest.exclusive("validity"), LockCaller.current())
				.outcome()
				.get(10, TimeUnit.SECONDS)
				.orElseThrow();
			grant.onStateChange(states::add);
			proxy.refuse();
			pass(OUTAGE);
			proxy.heal();
			await().until(() -> states.contains(LockState.VALID) || states.contains(LockState.LOST));
			pass(SESSION_TIMEOUT.dividedBy(2));
			await().until(() -> grant.state() == LockState.VALID || states.contains(LockState.LOST));
			grant.release().get(10, TimeUnit.SECONDS);
			return states;
		}
	}

	/**
	 * A third of 10 seconds without the time until an answer settles is less than what is
	 * asked for here, if the session counts from when it is met.
	 */
	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.THE_SERVERS_ARE_SILENT,
			note = "right after the start of the application")
	void holdOfAnApplicationThatHasJustStartedStaysValidInAnOutage() throws Exception {
		boolean valid = isValidInAnOutageAfterTheStart();
		for (int tries = 1; tries < TRIES && !valid; tries++) {
			valid = isValidInAnOutageAfterTheStart();
		}
		assertThat(valid).isTrue();
	}

	private static boolean isValidInAnOutageAfterTheStart() throws Exception {
		AtomicBoolean valid = new AtomicBoolean();
		try (LocalServer server = new LocalServer(); TcpProxy proxy = TcpProxy.to(server.port())) {
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class,
						InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class))
				.withPropertyValues("interlock.zookeeper.connect-string=" + proxy.connectString(),
						"interlock.zookeeper.session-timeout=10s")
				.run((context) -> {
					try (LockHandle lock = context.getBean(LockTemplate.class)
						.acquire(LockRequest.exclusive("just-started"))) {
						proxy.blackHole();
						pass(OUTAGE);
						valid.set(lock.isValid());
						proxy.heal();
					}
				});
		}
		return valid.get();
	}

	private static void pass(Duration time) {
		long until = System.nanoTime() + time.toNanos();
		await().until(() -> System.nanoTime() - until >= 0);
	}

}

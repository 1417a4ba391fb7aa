package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for acquisitions while the servers cannot be reached: they keep their deadline,
 * say that it is an outage, and leave nothing behind.
 */
@ExtendWith(SharedServer.class)
class OutageTests {

	private static final Duration WAIT = Duration.ofMillis(100);

	/**
	 * Longer than the servers of a busy machine need for an answer.
	 */
	private static final Duration LONG_WAIT = Duration.ofSeconds(1);

	/**
	 * Longer than a busy machine stands still, and shorter than all that a caller could
	 * wait for by mistake: the connection timeout, the bound of a try or of a release,
	 * the session.
	 */
	private static final Duration SLACK = Duration.ofMillis(1500);

	private static final int TRIES = 3;

	private static final int CONTENDED = 3;

	private static final int MAX_BRIEF_WAITS = 40;

	private static final LockRequest REQUEST = LockRequest.exclusive("outage").withWaitTime(WAIT);

	private static final LockRequest PATIENT = REQUEST.withWaitTime(Duration.ofSeconds(10));

	private final LocalServer server;

	private ZooKeeperProxy proxy;

	private Instance instance;

	OutageTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() {
		this.proxy = ZooKeeperProxy.to(this.server.port());
		this.instance = Instance.connectedTo(this.proxy.connectString(), Duration.ofSeconds(10));
		this.instance.template().acquire(PATIENT).close();
	}

	@AfterEach
	void disconnect() {
		this.instance.close();
		this.proxy.close();
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.THE_SERVERS_ARE_STOPPED)
	void stoppedServerIsAnOutage() throws Exception {
		this.server.stop();
		try {
			assertUnavailableInTime(this.instance);
		}
		finally {
			this.server.restart();
		}
		assertNothingIsLeft();
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.CONNECTIONS_ARE_REFUSED)
	void refusedConnectionIsAnOutage() {
		this.proxy.refuse();
		assertUnavailableInTime(this.instance);
		this.proxy.heal();
		assertNothingIsLeft();
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.PACKETS_ARE_SWALLOWED)
	void blackHoleIsAnOutage() {
		this.proxy.blackHole();
		assertUnavailableInTime(this.instance);
		this.proxy.heal();
		assertNothingIsLeft();
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.ANSWERS_ARE_MISSING)
	void missingAnswersAreAnOutage() {
		this.proxy.holdReplies();
		assertUnavailableInTime(this.instance);
		this.proxy.heal();
		assertNothingIsLeft();
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.THE_SERVERS_WERE_NEVER_REACHED)
	void serverThatWasNeverThereIsAnOutage() {
		ZooKeeperProxy nobody = ZooKeeperProxy.to(this.server.port());
		nobody.refuse();
		try (Instance alone = Instance.connectedTo(nobody.connectString())) {
			assertUnavailableInTime(alone);
		}
	}

	@Test
	void attemptWithoutWaitingIsBoundedDuringAnOutage() {
		this.proxy.blackHole();
		long startedAt = System.nanoTime();
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(
				() -> this.instance.template(Duration.ofSeconds(1)).tryAcquire(REQUEST.withWaitTime(Duration.ZERO)));
		assertThat(Duration.ofNanos(System.nanoTime() - startedAt)).isBetween(Duration.ofMillis(990),
				Duration.ofSeconds(4));
		this.proxy.heal();
		assertNothingIsLeft();
	}

	@Test
	@Proves(Promise.THE_DEADLINE)
	void heldLockIsContentionWhileTheServersAnswer() {
		try (Instance waiter = Instance.connectedTo(this.proxy.connectString())) {
			waiter.template().acquire(PATIENT).close();
			try (Instance holder = Instance.connectedTo(this.server.connectString());
					LockHandle held = holder.template().acquire(PATIENT)) {
				assertInTime(LONG_WAIT, () -> assertContended(waiter));
				assertThat(held.isValid()).isTrue();
			}
			assertNothingIsLeft();
		}
	}

	/**
	 * The lease of an instance that was idle is old until a beat is answered. On a
	 * machine that stands still the servers may not answer within so brief a wait.
	 */
	@Test
	void heldLockIsContentionForABriefWaitOfAnIdleInstance() {
		try (Instance holder = Instance.connectedTo(this.server.connectString());
				LockHandle held = holder.template().acquire(PATIENT);
				Instance idle = Instance.connectedTo(this.server.connectString(), Duration.ofSeconds(1))) {
			idle.template().acquire(PATIENT.withKey("warm")).close();
			int contended = 0;
			for (int i = 0; contended < CONTENDED && i < MAX_BRIEF_WAITS; i++) {
				await().pollDelay(Duration.ofMillis(500)).until(held::isValid);
				try {
					assertThat(idle.template().tryAcquire(REQUEST.withWaitTime(Duration.ofMillis(60)))).isEmpty();
					contended++;
				}
				catch (LockServiceUnavailableException ex) {
					assertThat(ex.waited()).isGreaterThanOrEqualTo(Duration.ofMillis(60));
				}
			}
			assertThat(contended).as("waits that ended as contention").isEqualTo(CONTENDED);
		}
	}

	/**
	 * Beats are 1.25 s apart. The deadline comes when two have had no answer, before the
	 * newest answer is a third of the session old, and long before ZooKeeper's own client
	 * gives the connection up.
	 */
	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.PACKETS_ARE_SWALLOWED)
	void outageWhileQueuedBehindOthersIsAnOutageOnceTheServersAreSilent() throws Exception {
		try (ZooKeeperProxy line = ZooKeeperProxy.to(this.server.port());
				Instance holder = Instance.connectedTo(this.server.connectString());
				Instance waiter = Instance.connectedTo(line.connectString(), Duration.ofSeconds(15));
				LockHandle held = holder.template().acquire(PATIENT)) {
			List<Throwable> outcome = new ArrayList<>();
			Thread thread = new Thread(() -> {
				try {
					waiter.template().acquire(REQUEST.withWaitTime(Duration.ofMillis(4500)));
				}
				catch (RuntimeException ex) {
					outcome.add(ex);
				}
			});
			thread.start();
			await().until(() -> this.server.contenders(REQUEST).size() == 2);
			line.blackHole();
			thread.join();
			assertThat(outcome).hasOnlyElementsOfType(LockServiceUnavailableException.class).hasSize(1);
			assertThat(held.isValid()).isTrue();
			line.heal();
		}
		assertNothingIsLeft();
	}

	private static void assertUnavailableInTime(Instance instance) {
		assertInTime(WAIT, () -> assertUnavailable(instance));
	}

	private static void assertUnavailable(Instance instance) {
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> instance.template().acquire(REQUEST))
			.satisfies((ex) -> assertThat(ex.waited()).isGreaterThanOrEqualTo(WAIT));
	}

	private static void assertContended(Instance waiter) {
		LockRequest longer = REQUEST.withWaitTime(LONG_WAIT);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> waiter.template().acquire(longer));
	}

	/**
	 * The median counts: the machine of a test may stop.
	 */
	private static void assertInTime(Duration wait, Runnable attempt) {
		List<Duration> times = new ArrayList<>();
		for (int i = 0; i < TRIES; i++) {
			long startedAt = System.nanoTime();
			attempt.run();
			times.add(Duration.ofNanos(System.nanoTime() - startedAt));
		}
		times.sort(null);
		assertThat(times.get(0)).as("%s", times).isGreaterThanOrEqualTo(wait);
		assertThat(times.get(TRIES / 2)).as("%s", times).isLessThan(wait.plus(SLACK));
	}

	private void assertNothingIsLeft() {
		await().atMost(Duration.ofSeconds(15)).untilAsserted(() -> {
			assertThat(this.server.contenders(REQUEST)).isEmpty();
			assertThat(this.server.watches()).isZero();
		});
		this.instance.template().acquire(PATIENT).close();
	}

}

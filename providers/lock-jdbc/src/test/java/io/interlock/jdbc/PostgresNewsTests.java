package io.interlock.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.lease.LeaseAnswer;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseStore;
import io.interlock.lease.LeaseTime;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.tier.Deep;
import io.interlock.testsupport.time.MovedTime;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for instances that PostgreSQL tells of releases. Their poll interval is longer
 * than a test has patience, so what they learn in time they were told.
 */
@ExtendWith(OutputCaptureExtension.class)
class PostgresNewsTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final Duration NEVER = Duration.ofMinutes(5);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final String QUESTION = "SELECT l.owner,";

	private static final LockRequest STOCK = LockRequest.exclusive("stock");

	private static PostgresServer server;

	private final JdbcInstances instances = new JdbcInstances(LockDatabase.POSTGRESQL, server.url(), LEASE, 4);

	private final JdbcClient client = JdbcClient.create(this.instances.pool());

	private final List<Instance> started = new ArrayList<>();

	@BeforeAll
	static void startServer() {
		server = PostgresServer.start();
		try (JdbcInstances instances = new JdbcInstances(LockDatabase.POSTGRESQL, server.url(), LEASE, 1)) {
			instances.createTables();
		}
	}

	@AfterAll
	static void stopServer() {
		if (server != null) {
			server.close();
		}
	}

	@AfterEach
	void close() {
		this.started.forEach((instance) -> instance.provider.close());
		this.client.sql("DELETE FROM interlock_contender").update();
		this.client.sql("DELETE FROM interlock_lock").update();
		this.instances.close();
	}

	private Instance start() {
		return start(NEVER);
	}

	private Instance start(Duration pollInterval) {
		Instance instance = new Instance(this.instances, pollInterval, null);
		this.started.add(instance);
		return instance;
	}

	private static ConditionFactory awaitPatiently() {
		return await().atMost(PATIENCE);
	}

	private static LockGrant acquire(Instance instance, LockRequest request) {
		return granted(instance.attempt(request));
	}

	private static LockGrant granted(LockAttempt attempt) {
		assertThat(attempt.outcome()).succeedsWithin(PATIENCE);
		return attempt.outcome().join().orElseThrow();
	}

	@Test
	void waiterIsToldOfARelease() {
		LockGrant held = acquire(start(), STOCK);
		LockAttempt waiting = start().attemptToBeTold(STOCK);
		held.release();
		assertThat(granted(waiting).fencingToken()).isGreaterThan(held.fencingToken());
	}

	@Test
	void waiterIsToldOfTheReleaseOfTheLastReader() {
		LockRequest shared = LockRequest.shared("stock");
		LockGrant first = acquire(start(), shared);
		LockGrant last = acquire(start(), shared);
		LockAttempt waiting = start().attemptToBeTold(STOCK);
		first.release().join();
		last.release();
		granted(waiting);
	}

	@Test
	void waiterIsToldThatTheOneInFrontHasGone() {
		acquire(start(), LockRequest.shared("stock"));
		LockAttempt inFront = start().attemptToBeTold(STOCK);
		LockAttempt behind = start().attemptToBeTold(LockRequest.shared("stock"));
		inFront.abandon();
		granted(behind);
	}

	@Test
	void onlyWaitersOfTheRowAsk() {
		Instance holder = start();
		LockGrant first = acquire(holder, STOCK.withKey(1));
		LockGrant second = acquire(holder, STOCK.withKey(2));
		LockAttempt waitsForFirst = start().attemptToBeTold(STOCK.withKey(1));
		Instance other = start();
		LockAttempt waitsForSecond = other.attemptToBeTold(STOCK.withKey(2));
		long before = other.requests.count(QUESTION);
		first.release();
		granted(waitsForFirst);
		// Notifications arrive in the order of the commits.
		second.release();
		granted(waitsForSecond);
		assertThat(other.requests.count(QUESTION) - before).as("looked, and took its turn by another statement")
			.isEqualTo(1);
	}

	@Test
	void waiterAsksOnceASecondAtMost() {
		try (MovedTime time = new MovedTime()) {
			JdbcInstances moved = new JdbcInstances(LockDatabase.POSTGRESQL, server.url(), LEASE, 4, time);
			Instance holder = new Instance(moved, Duration.ofMillis(50), time);
			Instance waiter = new Instance(moved, Duration.ofMillis(50), time);
			try {
				acquire(holder, STOCK);
				waiter.attempt(STOCK);
				awaitPatiently().until(waiter.store::isTelling);
				// The last question that was due before.
				time.advance(Duration.ofSeconds(2), Duration.ofMillis(100));
				long before = time.nanoTime();
				long asked = waiter.requests.statements.size();
				time.advance(Duration.ofSeconds(30), Duration.ofMillis(100));
				assertThat(waiter.requests.statements.size() - asked).isGreaterThan(15)
					.isLessThanOrEqualTo(1 + TimeUnit.NANOSECONDS.toSeconds(time.nanoTime() - before));
			}
			finally {
				waiter.provider.close();
				holder.provider.close();
				moved.close();
			}
		}
	}

	@Test
	void brokenConnectionCostsNoGrantAndIsMadeAgain() throws SQLException {
		Instance holder = start();
		Instance waiter = start(Duration.ofMillis(50));
		LockGrant held = acquire(holder, STOCK);
		LockGrant other = acquire(holder, STOCK.withKey(1));
		LockAttempt waiting = waiter.attemptToBeTold(STOCK);
		int listener = waiter.listening.newestProcess();
		waiter.listening.refused = (sql) -> true;
		this.client.sql("SELECT pg_terminate_backend(?)").param(listener).query(Boolean.class).single();
		awaitPatiently().until(() -> !waiter.store.isTelling());
		long asked = waiter.requests.count(QUESTION);
		awaitPatiently().until(() -> waiter.requests.count(QUESTION) > asked + 5);
		held.release();
		granted(waiting);
		waiter.listening.refused = (sql) -> false;
		LockAttempt again = waiter.attemptToBeTold(STOCK.withKey(1));
		assertThat(waiter.listening.newestProcess()).isNotEqualTo(listener);
		other.release();
		granted(again);
	}

	@Test
	void waitersAskAtOnceWhenTheConnectionBreaks() throws SQLException {
		LockGrant held = acquire(start(), STOCK);
		Instance waiter = start();
		LockAttempt waiting = waiter.attemptToBeTold(STOCK);
		waiter.listening.refused = (sql) -> true;
		this.client.sql("DELETE FROM interlock_lock").update();
		assertThat(held).isNotNull();
		this.client.sql("SELECT pg_terminate_backend(?)")
			.param(waiter.listening.newestProcess())
			.query(Boolean.class)
			.single();
		granted(waiting);
	}

	@Test
	void proxyThatKeepsNoSessionIsToldOnceAndPolled(CapturedOutput output) {
		Instance waiter = start(Duration.ofMillis(50));
		waiter.listening.swallowed = (sql) -> sql.startsWith("LISTEN");
		LockGrant held = acquire(start(), STOCK);
		LockAttempt waiting = waiter.attempt(STOCK);
		awaitPatiently().until(() -> output.getAll().contains("cannot notify this instance of released locks"));
		assertThat(waiter.store.isTelling()).isFalse();
		held.release();
		granted(waiting).release();
		LockGrant again = acquire(start(), STOCK);
		LockAttempt waitingAgain = waiter.attempt(STOCK);
		awaitPatiently().until(() -> waitingAgain.phase() == LockAttempt.Phase.QUEUED);
		again.release();
		granted(waitingAgain);
		assertThat(waiter.listening.count("LISTEN")).isOne();
		assertThat(output.getAll()).containsOnlyOnce("cannot notify this instance of released locks")
			.contains("has not arrived within 2 seconds")
			.contains("interlock.jdbc.notify");
		awaitPatiently().until(() -> waiter.listening.connections.get() == 0);
	}

	@Test
	void releaseThatCannotBeToldIsARelease(CapturedOutput output) {
		Instance holder = start();
		holder.requests.refused = (sql) -> sql.contains("pg_notify");
		for (LockRequest request : List.of(STOCK, LockRequest.shared("stock"))) {
			LockGrant held = acquire(holder, request);
			assertThat(held.release()).succeedsWithin(PATIENCE).hasToString("RELEASED");
			assertThat(JdbcInstances.contenders(this.client, "stock")).isZero();
		}
		assertThat(output.getAll()).containsOnlyOnce("cannot notify this instance of released locks");
	}

	@Test
	void instanceWithoutWaitersDoesNotListen() {
		Instance instance = start();
		acquire(instance, STOCK).release().join();
		assertThat(acquire(instance, STOCK)).isNotNull();
		assertThat(instance.attempt(STOCK.withWaitTime(Duration.ZERO)).outcome()).succeedsWithin(PATIENCE)
			.matches((grant) -> grant.isEmpty());
		assertThat(instance.listening.statements).isEmpty();
	}

	@Test
	void releaseWithoutWaitersTellsNothing() throws SQLException {
		Instance instance = start();
		try (HikariDataSource pool = this.instances.pool(); Connection listening = pool.getConnection()) {
			listening.createStatement().execute("LISTEN \"interlock_lock\"");
			acquire(instance, STOCK).release().join();
			acquire(instance, LockRequest.shared("stock")).release().join();
			this.client.sql("SELECT pg_notify('interlock_lock', 'end')").query((row, number) -> true).list();
			List<String> told = new ArrayList<>();
			while (!told.contains("end")) {
				told.addAll(PostgresChannel.await(listening, 1000));
			}
			assertThat(told).containsExactly("end");
		}
	}

	@Test
	void connectionIsGivenBackWhenNoContenderWaitsAnyMore() {
		WatchedDataSource listening = new WatchedDataSource(this.instances.pool());
		JdbcLeaseStoreSettings settings = new JdbcLeaseStoreSettings("0", true, true, "", Duration.ofSeconds(5),
				Duration.ofDays(1), "interlock_", true);
		JdbcStatements sql = new JdbcStatements(settings);
		LeaseContender contender = new LeaseContender("waits", "test", new LockId("stock", null), LockMode.EXCLUSIVE, 1,
				false);
		try (FreedLocks freed = new FreedLocks(listening,
				new JdbcCalls(this.instances.pool(), settings.tablePrefix(), settings.callTimeout()), sql,
				Duration.ofMillis(60))) {
			for (int times = 1; times < 3; times++) {
				freed.ask(contender, () -> LeaseAnswer.heldBy(1));
				awaitPatiently().until(freed::isTelling);
				assertThat(listening.connections).hasValue(1);
				freed.forget(contender);
				awaitPatiently().until(() -> listening.connections.get() == 0);
				assertThat(freed.isTelling()).isFalse();
				assertThat(listening.statements).endsWith("UNLISTEN \"interlock_lock\"");
			}
		}
	}

	@Test
	void closedInstanceEndsItsThreadAndGivesItsConnectionBack() {
		Instance waiter = start();
		acquire(start(), STOCK);
		waiter.attemptToBeTold(STOCK);
		List<Thread> threads = listening();
		assertThat(threads).hasSize(1).allMatch(Thread::isDaemon);
		waiter.provider.close();
		assertThat(threads).noneMatch(Thread::isAlive);
		assertThat(waiter.listening.connections).hasValue(0);
		assertThat(waiter.listening.statements).endsWith("UNLISTEN \"interlock_lock\"");
	}

	private static List<Thread> listening() {
		Thread[] threads = new Thread[Thread.activeCount() * 2];
		return Arrays.stream(threads, 0, Thread.enumerate(threads))
			.filter((thread) -> thread.getName().equals("interlock-listen-jdbc"))
			.toList();
	}

	@Test
	@Deep
	void handOverIsAMatterOfMilliseconds() {
		Instance[] instances = { start(), start() };
		long[] times = new long[1000];
		LockGrant held = acquire(instances[0], STOCK);
		for (int i = 0; i < times.length; i++) {
			LockAttempt waiting = instances[(i + 1) % 2].attemptToBeTold(STOCK);
			long released = System.nanoTime();
			held.release();
			held = granted(waiting);
			times[i] = System.nanoTime() - released;
		}
		Arrays.sort(times);
		System.out.printf("FIGURE release to the grant of the waiting instance: median %.1f ms, p99 %.1f ms%n",
				times[times.length / 2] / 1e6, times[times.length * 99 / 100] / 1e6);
		assertThat(times[times.length / 2]).isLessThan(TimeUnit.SECONDS.toNanos(1));
	}

	/**
	 * An instance whose statements are watched, and those of the connection that listens.
	 */
	private static final class Instance {

		private final WatchedDataSource requests;

		private final WatchedDataSource listening;

		private final JdbcLeaseStore store;

		private final AtomicInteger told = new AtomicInteger();

		private final LeaseLockProvider provider;

		Instance(JdbcInstances instances, Duration pollInterval, @Nullable MovedTime time) {
			HikariDataSource pool = instances.pool();
			this.requests = new WatchedDataSource(
					(time != null) ? new MovedDatabase(LockDatabase.POSTGRESQL, pool, time) : pool);
			this.listening = new WatchedDataSource(pool);
			this.store = instances.store(this.requests, this.listening);
			this.provider = new LeaseLockProvider(counting(),
					new LeaseSettings("test", LEASE, pollInterval, Duration.ofSeconds(5), 2, false),
					(time != null) ? new MovedLeaseTime(time) : LeaseTime.system());
		}

		LockAttempt attempt(LockRequest request) {
			return this.provider.attempt(request, LockCaller.current());
		}

		/**
		 * Return an attempt that asks no more until the poll interval, or a second, is
		 * over, unless it is told.
		 */
		LockAttempt attemptToBeTold(LockRequest request) {
			int before = this.told.get();
			LockAttempt attempt = attempt(request);
			// Before a question, and after it; the first one has two steps.
			awaitPatiently().pollInterval(Duration.ofMillis(1))
				.until(() -> this.told.get() >= before + 2 && attempt.phase() == LockAttempt.Phase.QUEUED);
			return attempt;
		}

		/**
		 * Return the store, with a count of how often it has said that it tells.
		 */
		private LeaseStore counting() {
			return (LeaseStore) Proxy.newProxyInstance(Instance.class.getClassLoader(),
					new Class<?>[] { LeaseStore.class }, (proxy, method, arguments) -> {
						Object answer = AopUtils.invokeJoinpointUsingReflection(this.store, method,
								(arguments != null) ? arguments : new Object[0]);
						if (method.getName().equals("isTelling") && Boolean.TRUE.equals(answer)) {
							this.told.incrementAndGet();
						}
						return answer;
					});
		}

	}

}

package io.interlock.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.postgres.PostgresServer;
import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for instances in JVMs of their own, which are killed and paused.
 */
@Deep
class PostgresProcessesTests {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final Duration PATIENCE = Duration.ofMinutes(4);

	private static final int TIMES = 200;

	private static PostgresServer server;

	private static JdbcInstances instances;

	@BeforeAll
	static void start() {
		server = PostgresServer.start();
		instances = new JdbcInstances(LockDatabase.POSTGRESQL, server.url(), LEASE, 4);
		instances.createTables();
	}

	@AfterAll
	static void stop() {
		if (server != null) {
			instances.close();
			server.close();
		}
	}

	private static JavaProcess worker() {
		JavaProcess worker = JavaProcess.start(JdbcWorker.class, null, JavaProcess.quickStart("96m"),
				List.of(server.url(), LEASE.toString()));
		worker.await("ready", PATIENCE);
		return worker;
	}

	private static LockGrant acquire(LockProvider instance, String name) throws Exception {
		LockAttempt attempt = instance.attempt(LockRequest.exclusive(name), LockCaller.current());
		return attempt.outcome().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).orElseThrow();
	}

	@Test
	void twoProcessesLoseNoIncrement() {
		JdbcClient client = JdbcClient.create(instances.pool());
		client.sql("CREATE TABLE counter (value INTEGER)").update();
		client.sql("INSERT INTO counter VALUES (0)").update();
		long before = System.nanoTime();
		try (JavaProcess first = worker(); JavaProcess second = worker()) {
			first.send("increment " + TIMES);
			second.send("increment " + TIMES);
			first.await("incremented", PATIENCE);
			second.await("incremented", PATIENCE);
		}
		print("2 JVMs x 8 threads x %d increments".formatted(TIMES), before);
		assertThat(client.sql("SELECT value FROM counter").query(Integer.class).single()).isEqualTo(16 * TIMES);
	}

	@Test
	void lockOfKilledHolderIsFreeWhenItsLeaseIsOver() throws Exception {
		JavaProcess holder = worker();
		try {
			holder.send("hold killed");
			long token = Long.parseLong(holder.await("holds ", PATIENCE));
			holder.close();
			long killed = System.nanoTime();
			LockGrant next = acquire(instances.start(), "killed");
			print("kill -9 of the holder to the next grant, lease " + LEASE, killed);
			assertThat(next.fencingToken()).isGreaterThan(token);
			assertThat(Duration.ofNanos(System.nanoTime() - killed)).isBetween(LEASE.dividedBy(2),
					LEASE.plusSeconds(10));
		}
		finally {
			holder.close();
		}
	}

	@Test
	void pausedHolderKnowsOfItsLossBeforeItDoesAnything() throws Exception {
		try (JavaProcess holder = worker()) {
			holder.send("hold paused");
			long token = Long.parseLong(holder.await("holds ", PATIENCE));
			holder.stop();
			long stopped = System.nanoTime();
			LockGrant next = acquire(instances.start(), "paused");
			print("SIGSTOP of the holder to the next grant, lease " + LEASE, stopped);
			assertThat(next.fencingToken()).isGreaterThan(token);
			long resumed = System.nanoTime();
			holder.resume();
			assertThat(holder.await("knows ", PATIENCE)).isEqualTo("LOST");
			print("SIGCONT to the loss being known to the old holder", resumed);
			holder.await("told LOST", PATIENCE);
			print("SIGCONT to the loss being told to the listener of the old holder", resumed);
			next.verify();
			await().untilAsserted(() -> assertThat(next.state() == LockState.VALID).isTrue());
		}
	}

	@Test
	void holdOutlivesRestartOfTheServer() throws Exception {
		JdbcInstances patient = new JdbcInstances(LockDatabase.POSTGRESQL, server.url(), Duration.ofMinutes(1), 4);
		LockGrant grant = acquire(patient.start(), "restart");
		LockAttempt waiting = patient.start().attempt(LockRequest.exclusive("restart"), LockCaller.current());
		await().atMost(PATIENCE).until(() -> waiting.phase() == LockAttempt.Phase.QUEUED);
		long before = System.nanoTime();
		server.stop();
		server.restart();
		print("stop and start of the server", before);
		// A pool may hand out a connection of before the stop.
		await().atMost(Duration.ofMinutes(1)).ignoreExceptions().untilAsserted(grant::verify);
		print("stop of the server to a verified hold", before);
		assertThat(grant.state() == LockState.LOST).isFalse();
		assertThat(waiting.outcome()).isNotDone();
		long released = System.nanoTime();
		grant.release();
		LockGrant next = waiting.outcome().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).orElseThrow();
		print("release after the restart to the grant of the waiting instance", released);
		assertThat(next.fencingToken()).isGreaterThan(grant.fencingToken());
		patient.close();
	}

	@Test
	void silentServerLosesHoldsAndIsToldAsAnOutage() throws Exception {
		try (JdbcInstances cutOff = new JdbcInstances(LockDatabase.POSTGRESQL, server.url(), LEASE, 4)) {
			LockProvider other = cutOff.start();
			LockGrant grant = acquire(cutOff.start(), "silent");
			LockAttempt waiting = other.attempt(LockRequest.exclusive("silent"), LockCaller.current());
			await().atMost(PATIENCE).until(() -> waiting.phase() == LockAttempt.Phase.QUEUED);
			CompletableFuture<LockState> stateAtNextGrant = waiting.outcome().thenApply((next) -> grant.state());
			long before = System.nanoTime();
			long resumed;
			server.pause();
			try {
				assertThatExceptionOfType(LockServiceUnavailableException.class)
					.isThrownBy(() -> new LockTemplate(other)
						.tryAcquire(LockRequest.exclusive("other").withWaitTime(Duration.ofSeconds(2))));
				print("SIGSTOP of the server to the outage being told to a caller that waits for 2 s", before);
				await().atMost(PATIENCE).until(() -> grant.state() == LockState.LOST);
				print("SIGSTOP of the server to the loss being known to the holder, lease " + LEASE, before);
				assertThat(waiting.outcome()).isNotDone();
			}
			finally {
				resumed = System.nanoTime();
				server.resume();
			}
			LockGrant next = waiting.outcome().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).orElseThrow();
			print("SIGCONT of the server to the grant of the waiting instance", resumed);
			// The outcome wakes its waiter before it runs what depends on it.
			assertThat(stateAtNextGrant).succeedsWithin(PATIENCE).isEqualTo(LockState.LOST);
			assertThat(next.fencingToken()).isGreaterThan(grant.fencingToken());
		}
	}

	private static void print(String what, long since) {
		System.out.printf("FIGURE %s: %d ms%n", what, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since));
	}

}

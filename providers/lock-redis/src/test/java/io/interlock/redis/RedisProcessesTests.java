package io.interlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.redis.RedisServer;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for instances in JVMs of their own, which are killed and paused.
 */
@Deep
class RedisProcessesTests {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final Duration PATIENCE = Duration.ofMinutes(4);

	private static final int TIMES = 200;

	private static RedisServer server;

	private static RedisInstances instances;

	@BeforeAll
	static void start() {
		server = RedisServer.start();
		instances = new RedisInstances(LEASE);
	}

	@AfterAll
	static void stop() {
		if (server != null) {
			instances.close();
			server.close();
		}
	}

	private static JavaProcess worker() {
		JavaProcess worker = JavaProcess.start(RedisWorker.class, null, JavaProcess.quickStart("96m"),
				List.of(Integer.toString(server.port()), LEASE.toString()));
		worker.await("ready", PATIENCE);
		return worker;
	}

	private static LockGrant acquire(LockProvider instance, String name) throws Exception {
		LockAttempt attempt = instance.attempt(LockRequest.exclusive(name), LockCaller.current());
		return attempt.outcome().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).orElseThrow();
	}

	@Test
	void twoProcessesLoseNoIncrement() {
		server.command("SET", "counter", "0");
		try (JavaProcess first = worker(); JavaProcess second = worker()) {
			long before = System.nanoTime();
			first.send("increment " + TIMES);
			second.send("increment " + TIMES);
			first.await("incremented", PATIENCE);
			second.await("incremented", PATIENCE);
			print("2 JVMs x 8 threads x %d increments".formatted(TIMES), before);
		}
		assertThat(server.command("GET", "counter")).containsExactly(Integer.toString(16 * TIMES));
	}

	@Test
	void lockOfKilledHolderIsFreeWhenItsLeaseIsOver() throws Exception {
		JavaProcess holder = worker();
		holder.send("hold killed");
		long token = Long.parseLong(holder.await("holds ", PATIENCE));
		holder.close();
		long killed = System.nanoTime();
		LockGrant next = acquire(instances.start(server), "killed");
		print("kill -9 of the holder to the next grant, lease " + LEASE, killed);
		assertThat(next.fencingToken()).isGreaterThan(token);
		assertThat(Duration.ofNanos(System.nanoTime() - killed)).isBetween(LEASE.dividedBy(2), LEASE.plusSeconds(10));
	}

	@Test
	void pausedHolderKnowsOfItsLossBeforeItDoesAnything() throws Exception {
		try (JavaProcess holder = worker()) {
			holder.send("hold paused");
			long token = Long.parseLong(holder.await("holds ", PATIENCE));
			holder.stop();
			long stopped = System.nanoTime();
			LockGrant next = acquire(instances.start(server), "paused");
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
	void holdOutlivesKillAndRestartOfTheServerWithItsData() throws Exception {
		try (RedisServer durable = RedisServer.start("--appendonly", "yes", "--appendfsync", "always");
				RedisInstances patient = new RedisInstances(Duration.ofMinutes(1))) {
			LockGrant grant = acquire(patient.start(durable), "restart");
			LockAttempt waiting = patient.start(durable)
				.attempt(LockRequest.exclusive("restart"), LockCaller.current());
			await().atMost(PATIENCE).until(() -> waiting.phase() == LockAttempt.Phase.QUEUED);
			long before = System.nanoTime();
			durable.kill();
			durable.restart();
			print("kill -9 and start of the server with its data", before);
			await().atMost(Duration.ofMinutes(1)).ignoreExceptions().untilAsserted(grant::verify);
			print("kill -9 of the server to a verified hold", before);
			assertThat(grant.state() == LockState.LOST).isFalse();
			assertThat(waiting.outcome()).isNotDone();
			long released = System.nanoTime();
			grant.release();
			LockGrant next = waiting.outcome().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).orElseThrow();
			print("release after the restart to the grant of the waiting instance", released);
			assertThat(next.fencingToken()).isGreaterThan(grant.fencingToken());
		}
	}

	private static void print(String what, long since) {
		System.out.printf("FIGURE %s: %d ms%n", what, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since));
	}

}

package io.interlock.zookeeper.internal.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for holders and a server in JVMs of their own, which are killed and paused.
 */
@Deep
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "There is no SIGSTOP")
class ZooKeeperProcessesTests {

	private static final Duration SESSION = Duration.ofSeconds(5);

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	@TempDir
	static Path directory;

	private static Server server;

	@BeforeAll
	static void start() {
		server = Server.standalone(directory, ServerSettings.quick());
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	private static JavaProcess holder(String lock) {
		return JavaProcess.start(HoldingWorker.class, null, JavaProcess.quickStart("64m"),
				List.of(server.connectString(), SESSION.toString(), lock));
	}

	private static long awaitToken(JavaProcess holder) {
		return Long.parseLong(holder.await(HoldingWorker.HOLDS, PATIENCE));
	}

	private static LockAttempt begin(Instance instance, String lock) {
		return instance.provider().attempt(LockRequest.exclusive(lock), LockCaller.current());
	}

	private static LockGrant answer(LockAttempt attempt) throws Exception {
		return attempt.outcome().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).orElseThrow();
	}

	private static void awaitQueued(LockAttempt attempt) {
		await().atMost(PATIENCE).until(() -> attempt.phase() == LockAttempt.Phase.QUEUED);
	}

	@Test
	void lockOfKilledHolderIsFreeWhenItsSessionHasExpired() throws Exception {
		JavaProcess holder = holder("killed");
		try (Instance other = Instance.connectedTo(server.connectString())) {
			long token = awaitToken(holder);
			LockAttempt waiting = begin(other, "killed");
			awaitQueued(waiting);
			long killed = System.nanoTime();
			holder.close();
			LockGrant next = answer(waiting);
			print("kill -9 of the holder to the next grant, session " + SESSION, killed);
			assertThat(next.fencingToken()).isGreaterThan(token);
			assertThat(Duration.ofNanos(System.nanoTime() - killed)).isBetween(SESSION.dividedBy(2),
					SESSION.plusSeconds(10));
		}
		finally {
			holder.close();
		}
	}

	@Test
	void pausedHolderKnowsOfItsLossBeforeItDoesAnything() throws Exception {
		try (Instance other = Instance.connectedTo(server.connectString()); JavaProcess holder = holder("paused")) {
			long token = awaitToken(holder);
			LockAttempt waiting = begin(other, "paused");
			awaitQueued(waiting);
			holder.stop();
			long stopped = System.nanoTime();
			LockGrant next = answer(waiting);
			print("SIGSTOP of the holder to the next grant, session " + SESSION, stopped);
			assertThat(next.fencingToken()).isGreaterThan(token);
			long resumed = System.nanoTime();
			holder.resume();
			assertThat(holder.await(HoldingWorker.KNOWS, PATIENCE)).isEqualTo("LOST");
			print("SIGCONT to the loss being known to the old holder", resumed);
			holder.await(HoldingWorker.TOLD, PATIENCE);
			print("SIGCONT to the loss being told to the listener of the old holder", resumed);
			next.verify();
			assertThat(next.state() == LockState.VALID).isTrue();
		}
	}

	@Test
	void holdOutlivesKillAndRestartOfTheServer() throws Exception {
		try (Instance instance = Instance.connectedTo(server.connectString());
				Instance other = Instance.connectedTo(server.connectString())) {
			LockGrant grant = answer(begin(instance, "restart"));
			LockAttempt waiting = begin(other, "restart");
			awaitQueued(waiting);
			long before = System.nanoTime();
			server.kill();
			server.start();
			await().atMost(PATIENCE).until(server::serves);
			print("kill -9 and start of the server", before);
			await().atMost(PATIENCE).ignoreExceptions().untilAsserted(grant::verify);
			print("kill -9 of the server to a verified hold", before);
			assertThat(grant.state() == LockState.LOST).isFalse();
			assertThat(waiting.outcome()).isNotDone();
			long released = System.nanoTime();
			grant.release();
			LockGrant next = answer(waiting);
			print("release after the restart to the grant of the waiting instance", released);
			assertThat(next.fencingToken()).isGreaterThan(grant.fencingToken());
		}
	}

	private static void print(String what, long since) {
		System.out.printf("FIGURE %s: %d ms%n", what, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since));
	}

}

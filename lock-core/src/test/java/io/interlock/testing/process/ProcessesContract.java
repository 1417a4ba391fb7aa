package io.interlock.testing.process;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
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
import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What every store promises to instances in JVMs of their own, while these or the store
 * are killed and paused. Each test has a server of its own.
 */
@Deep
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "There is no SIGSTOP")
public abstract class ProcessesContract {

	/** Of the holders that lose their locks: the length of a lease or of a session. */
	private static final Duration LEASE = Duration.ofSeconds(10);

	/** Of the instances that must lose nothing, even if the machine stands still. */
	private static final Duration LONG_LEASE = Duration.ofMinutes(1);

	private static final Duration PATIENCE = Duration.ofMinutes(4);

	private static final int TIMES = 200;

	private final Deque<AutoCloseable> resources = new ArrayDeque<>();

	/**
	 * Close a resource after the test, before those that it was created after.
	 * @param <T> type of the resource
	 * @param resource the resource
	 * @return the resource
	 */
	protected final <T extends AutoCloseable> T closeAfterTest(T resource) {
		this.resources.push(resource);
		return resource;
	}

	@AfterEach
	final void close() throws Exception {
		while (!this.resources.isEmpty()) {
			this.resources.pop().close();
		}
	}

	/**
	 * Start an instance in this JVM.
	 * @param lease length of its leases, or of its session
	 * @return its provider
	 */
	protected abstract LockProvider instance(Duration lease);

	/**
	 * {@return the main class of an instance in a JVM of its own} Its arguments are the
	 * {@link #address()} and the length of its leases, and it runs a {@link LockWorker}.
	 */
	protected abstract Class<?> worker();

	/**
	 * {@return where an instance in a JVM of its own finds the store}
	 */
	protected abstract String address();

	/**
	 * {@return the counter that the workers share} It may be created now.
	 * @throws Exception if it cannot be created
	 */
	protected abstract SharedCounter counter() throws Exception;

	/**
	 * End the server as a crash does.
	 */
	protected abstract void crash();

	/**
	 * Start the server again, with the data that it had, and wait until it answers.
	 */
	protected abstract void restart();

	/**
	 * Stop the processes of the server until they are resumed: SIGSTOP.
	 */
	protected abstract void pause();

	/**
	 * Let the processes of the server go on: SIGCONT.
	 */
	protected abstract void resume();

	/**
	 * End a hold that was lost while the server was silent. Does nothing by default: most
	 * stores forget such a hold by themselves.
	 * @param lost the grant that was lost
	 */
	protected void endLost(LockGrant lost) {
	}

	@Test
	void twoProcessesLoseNoIncrement() throws Exception {
		SharedCounter counter = counter();
		counter.write(0);
		JavaProcess first = startWorker();
		JavaProcess second = startWorker();
		long before = System.nanoTime();
		first.send(LockWorker.INCREMENT + TIMES);
		second.send(LockWorker.INCREMENT + TIMES);
		first.await(LockWorker.INCREMENTED, PATIENCE);
		second.await(LockWorker.INCREMENTED, PATIENCE);
		print("2 JVMs x %d threads x %d increments".formatted(LockWorker.THREADS, TIMES), before);
		assertThat(counter.read()).isEqualTo(2 * LockWorker.THREADS * TIMES);
	}

	@Test
	void lockOfKilledHolderIsFreeWhenItsLeaseIsOver() throws Exception {
		JavaProcess holder = startWorker();
		long token = hold(holder);
		LockAttempt waiting = queue(instance(LONG_LEASE));
		long killed = System.nanoTime();
		holder.close();
		LockGrant next = answer(waiting);
		Duration free = print("kill -9 of the holder to the next grant, lease " + LEASE, killed);
		assertThat(next.fencingToken()).isGreaterThan(token);
		assertThat(free).isBetween(LEASE.dividedBy(2), LEASE.plusSeconds(10));
	}

	@Test
	void pausedHolderKnowsOfItsLossBeforeItDoesAnything() throws Exception {
		JavaProcess holder = startWorker();
		long token = hold(holder);
		LockAttempt waiting = queue(instance(LONG_LEASE));
		holder.stop();
		long stopped = System.nanoTime();
		LockGrant next = answer(waiting);
		print("SIGSTOP of the holder to the next grant, lease " + LEASE, stopped);
		assertThat(next.fencingToken()).isGreaterThan(token);
		long resumed = System.nanoTime();
		holder.resume();
		assertThat(holder.await(LockWorker.KNOWS, PATIENCE)).isEqualTo("LOST");
		print("SIGCONT to the loss being known to the old holder", resumed);
		assertThat(holder.await(LockWorker.TOLD, PATIENCE)).isEqualTo("LOST");
		print("SIGCONT to the loss being told to the listener of the old holder", resumed);
		next.verify();
		assertThat(next.state() == LockState.VALID).isTrue();
	}

	@Test
	void holdOutlivesCrashAndRestartOfTheServerWithItsData() throws Exception {
		LockGrant grant = answer(begin(instance(LONG_LEASE)));
		LockAttempt waiting = queue(instance(LONG_LEASE));
		long before = System.nanoTime();
		crash();
		restart();
		print("crash and start of the server with its data", before);
		await().atMost(LONG_LEASE).ignoreExceptions().untilAsserted(grant::verify);
		print("crash of the server to a verified hold", before);
		assertThat(grant.state() == LockState.LOST).isFalse();
		assertThat(waiting.outcome()).isNotDone();
		long released = System.nanoTime();
		grant.release();
		LockGrant next = answer(waiting);
		print("release after the restart to the grant of the waiting instance", released);
		assertThat(next.fencingToken()).isGreaterThan(grant.fencingToken());
	}

	@Test
	void keptLockOutlivesItsInstanceAndTheServer() throws Exception {
		JavaProcess keeper = startWorker();
		Duration kept = LEASE.multipliedBy(3);
		long before = System.nanoTime();
		keeper.send(LockWorker.KEEP + kept);
		keeper.await(LockWorker.KEPT, PATIENCE);
		keeper.close();
		crash();
		restart();
		LockProvider other = instance(LONG_LEASE);
		LockAttempt once = other.attempt(LockRequest.exclusive("stock").withWaitTime(Duration.ZERO),
				LockCaller.current());
		assertThat(once.outcome().get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEmpty();
		LockGrant next = answer(begin(other));
		Duration taken = print(
				"lock that is kept for %s, kill -9 and a crash of the server, to the next grant".formatted(kept),
				before);
		assertThat(taken).isBetween(kept.minusSeconds(1), kept.plusSeconds(10));
		next.release();
	}

	@Test
	void silentServerLosesHoldsAndIsToldAsAnOutage() throws Exception {
		LockGrant grant = answer(begin(instance(LEASE)));
		LockProvider other = instance(LEASE);
		LockAttempt waiting = queue(other);
		CompletableFuture<LockState> stateAtNextGrant = waiting.outcome().thenApply((next) -> grant.state());
		long before = System.nanoTime();
		long resumed;
		pause();
		try {
			assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(() -> new LockTemplate(other)
				.tryAcquire(LockRequest.exclusive("other").withWaitTime(Duration.ofSeconds(2))));
			print("SIGSTOP of the server to the outage being told to a caller that waits for 2 s", before);
			await().atMost(PATIENCE).until(() -> grant.state() == LockState.LOST);
			print("SIGSTOP of the server to the loss being known to the holder, lease " + LEASE, before);
			assertThat(waiting.outcome()).isNotDone();
		}
		finally {
			resumed = System.nanoTime();
			resume();
		}
		endLost(grant);
		LockGrant next = answer(waiting);
		print("SIGCONT of the server to the grant of the waiting instance", resumed);
		// The outcome wakes its waiter before it runs what depends on it.
		assertThat(stateAtNextGrant).succeedsWithin(PATIENCE).isEqualTo(LockState.LOST);
		assertThat(next.fencingToken()).isGreaterThan(grant.fencingToken());
	}

	private JavaProcess startWorker() {
		JavaProcess worker = closeAfterTest(
				JavaProcess.start(worker(), null, JavaProcess.quickStart("96m"), List.of(address(), LEASE.toString())));
		worker.await(LockWorker.READY, PATIENCE);
		return worker;
	}

	private static long hold(JavaProcess worker) {
		worker.send(LockWorker.HOLD + "stock");
		return Long.parseLong(worker.await(LockWorker.HOLDS, PATIENCE));
	}

	private static LockAttempt begin(LockProvider instance) {
		return instance.attempt(LockRequest.exclusive("stock"), LockCaller.current());
	}

	private static LockAttempt queue(LockProvider instance) {
		LockAttempt attempt = begin(instance);
		await().atMost(PATIENCE).until(() -> attempt.phase() == LockAttempt.Phase.QUEUED);
		return attempt;
	}

	private static LockGrant answer(LockAttempt attempt) throws Exception {
		return attempt.outcome().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).orElseThrow();
	}

	private static Duration print(String what, long since) {
		Duration duration = Duration.ofNanos(System.nanoTime() - since);
		System.out.printf("FIGURE %s: %d ms%n", what, duration.toMillis());
		return duration;
	}

}

package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for asynchronous calls beside as many actions as there are threads for actions,
 * all of which block.
 */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class BlockingAsyncActionsTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").withKey("other");

	private static final int THREADS = 64;

	private final CountDownLatch end = new CountDownLatch(1);

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	/** The end of a hold waits for its release, so that it needs a thread. */
	private final LockTemplate template = new LockTemplate(this.provider, new LockSettings(Duration.ofMinutes(1),
			Map.of(), Duration.ofSeconds(10), Duration.ofSeconds(1), 64, false, LockSettings.OnEventLoop.FAIL),
			new HeldLocks(), List.of());

	private final CompletableFuture<String> work = new CompletableFuture<>();

	private CompletableFuture<String> early = new CompletableFuture<>();

	private List<CompletableFuture<String>> blocked = List.of();

	@BeforeEach
	void blockAllThreads() {
		CountDownLatch began = new CountDownLatch(1);
		this.early = this.template.executeAsync(LockRequest.exclusive("early"), (lock) -> {
			began.countDown();
			return this.work;
		});
		pass(began);
		CountDownLatch inside = new CountDownLatch(THREADS);
		this.blocked = IntStream.range(0, THREADS).mapToObj((i) -> block("key-" + i, inside)).toList();
		pass(inside);
	}

	private CompletableFuture<String> block(String key, CountDownLatch inside) {
		return this.template.executeAsync(LockRequest.exclusive("orders").withKey(key), (lock) -> {
			inside.countDown();
			pass(this.end);
			return CompletableFuture.completedFuture(key);
		});
	}

	private static void pass(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@AfterEach
	void endAll() throws Exception {
		this.end.countDown();
		this.work.complete("done");
		for (CompletableFuture<String> each : this.blocked) {
			each.get(30, TimeUnit.SECONDS);
		}
		this.early.get(30, TimeUnit.SECONDS);
		await().untilAsserted(() -> assertThat(this.provider.grants()).isEmpty());
	}

	@Test
	void deadlineIsToldInTime() {
		LockRequest held = LockRequest.exclusive("orders").withKey("key-0").withWaitTime(Duration.ofMillis(10));
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> this.template.acquireAsync(held).get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void freeLockReachesItsCaller() throws Exception {
		LockHandle handle = this.template.acquireAsync(REQUEST).get(10, TimeUnit.SECONDS);
		handle.close();
	}

	@Test
	void lockWhoseWorkHasEndedIsReleased() throws Exception {
		this.work.complete("done");
		assertThat(this.early.get(10, TimeUnit.SECONDS)).isEqualTo("done");
		this.template.acquire(LockRequest.exclusive("early").withWaitTime(Duration.ofSeconds(10))).close();
	}

	@Test
	void continuationsThatBlockHoldUpNoRelease() throws Exception {
		CountDownLatch inside = new CountDownLatch(THREADS);
		LockHandle writer = this.template.acquire(LockRequest.exclusive("read"));
		List<CompletableFuture<Void>> continued = IntStream.range(0, THREADS)
			.mapToObj((i) -> this.template.acquireAsync(LockRequest.shared("read")).thenAccept((lock) -> {
				inside.countDown();
				pass(this.end);
				lock.close();
			}))
			.toList();
		writer.close();
		pass(inside);
		this.work.complete("done");
		this.template.acquire(LockRequest.exclusive("early").withWaitTime(Duration.ofSeconds(10))).close();
		this.end.countDown();
		for (CompletableFuture<Void> each : continued) {
			each.get(30, TimeUnit.SECONDS);
		}
	}

	@Test
	@EnabledForJreRange(max = JRE.JAVA_23)
	void actionsThatWaitForAThreadAreReported(CapturedOutput output) throws Exception {
		CompletableFuture<String> late = this.template.executeAsync(REQUEST,
				(lock) -> CompletableFuture.completedFuture("late"));
		CompletableFuture<String> later = this.template.executeAsync(REQUEST.withKey("later"),
				(lock) -> CompletableFuture.completedFuture("later"));
		await().until(() -> output.getOut().contains("interlock.async.executor"));
		assertThat(late).isNotDone();
		this.end.countDown();
		late.get(30, TimeUnit.SECONDS);
		later.get(30, TimeUnit.SECONDS);
		assertThat(output).containsOnlyOnce("interlock.async.executor");
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_24)
	void actionsWaitForNoThread() throws Exception {
		assertThat(this.template
			.executeAsync(REQUEST, (lock) -> CompletableFuture.completedFuture(Thread.currentThread().getName()))
			.get(10, TimeUnit.SECONDS)).startsWith("interlock-async-");
	}

}

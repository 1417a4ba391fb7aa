package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import java.util.function.Supplier;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.netty.util.concurrent.FastThreadLocalThread;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for blocking calls on threads that must not block.
 */
class EventLoopThreadTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("stock").withKey("A-1");

	private final InMemoryLockProvider store = new InMemoryLockProvider();

	private final LockTemplate others = template(LockSettings.OnEventLoop.FAIL);

	private LockTemplate template = template(LockSettings.OnEventLoop.FAIL);

	private LockHandle held;

	private LockTemplate template(LockSettings.OnEventLoop policy) {
		return new LockTemplate(this.store, new LockSettings(Duration.ofMinutes(1), Map.of(), Duration.ofSeconds(10),
				Duration.ZERO, 64, false, policy), new HeldLocks(), List.of());
	}

	@AfterEach
	void release() {
		if (this.held != null) {
			this.held.close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void doesNotWait(Threads threads) {
		this.held = this.others.acquire(REQUEST);
		assertRefused(threads, (locks) -> locks.execute(REQUEST, (lock) -> "done"));
		assertRefused(threads, (locks) -> locks.acquire(REQUEST));
		assertRefused(threads, (locks) -> locks.tryAcquire(REQUEST.withWaitTime(Duration.ofSeconds(30))));
		assertRefused(threads,
				(locks) -> locks.executeAll(List.of(REQUEST, LockRequest.exclusive("free")), (handles) -> "done"));
		assertRefused(threads, (locks) -> {
			Lock lock = locks.asLock(REQUEST);
			lock.lock();
			return lock;
		});
		assertThat(this.template.tryAcquire(LockRequest.exclusive("free"))).hasValueSatisfying(LockHandle::close);
	}

	private void assertRefused(Threads threads, Function<LockTemplate, Object> call) {
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> threads.run(() -> call.apply(this.template)).get(30, TimeUnit.SECONDS))
			.havingCause()
			.isExactlyInstanceOf(IllegalStateException.class)
			.withMessageContaining("Thread '%s".formatted(threads.prefix))
			.withMessageContaining("stock[A-1]")
			.withMessageContaining("return a Mono");
	}

	@ParameterizedTest
	@EnumSource
	void takesALockThatIsFree(Threads threads) throws Exception {
		assertThat(threads.run(() -> this.template.execute(REQUEST, (lock) -> "done")).get(30, TimeUnit.SECONDS))
			.isEqualTo("done");
	}

	@ParameterizedTest
	@EnumSource
	void joinsItsOwnHold(Threads threads) throws Exception {
		assertThat(threads
			.run(() -> this.template.execute(REQUEST, (lock) -> this.template.execute(REQUEST, (same) -> "done")))
			.get(30, TimeUnit.SECONDS)).isEqualTo("done");
	}

	@ParameterizedTest
	@EnumSource
	void aTryIsRefusedAsUsual(Threads threads) throws Exception {
		this.held = this.others.acquire(REQUEST);
		assertThat(threads.run(() -> this.template.tryAcquire(REQUEST)).get(30, TimeUnit.SECONDS))
			.isEqualTo(Optional.empty());
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> threads.run(() -> this.template.acquire(REQUEST.withWaitTime(Duration.ZERO)))
				.get(30, TimeUnit.SECONDS))
			.havingCause()
			.isInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void anotherThreadWaits() {
		this.held = this.others.acquire(REQUEST);
		assertThatExceptionOfType(LockException.class)
			.isThrownBy(() -> this.template.acquire(REQUEST.withWaitTime(Duration.ofMillis(1))));
	}

	@Test
	void aThreadOfNettyThatMayBlockWaits() throws Exception {
		this.held = this.others.acquire(REQUEST);
		CompletableFuture<Object> result = new CompletableFuture<>();
		new FastThreadLocalThread(
				() -> complete(result, () -> this.template.tryAcquire(REQUEST.withWaitTime(Duration.ofMillis(1)))),
				"worker") {

			@Override
			public boolean permitBlockingCalls() {
				return true;
			}

		}.start();
		assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo(Optional.empty());
	}

	@ParameterizedTest
	@EnumSource
	@ExtendWith(OutputCaptureExtension.class)
	void mayWaitWithOneWarningForEachName(Threads threads, CapturedOutput output) throws Exception {
		this.template = template(LockSettings.OnEventLoop.WARN);
		LockRequest request = LockRequest.exclusive("stock-" + threads);
		this.held = this.others.acquire(request);
		LockRequest soon = request.withWaitTime(Duration.ofMillis(1));
		for (int i = 0; i < 2; i++) {
			assertThat(threads.run(() -> this.template.tryAcquire(soon)).get(30, TimeUnit.SECONDS))
				.isEqualTo(Optional.empty());
		}
		assertThat(output).containsOnlyOnce("must not block").contains("interlock.blocking-on-event-loop");
	}

	@ParameterizedTest
	@EnumSource
	@ExtendWith(OutputCaptureExtension.class)
	void holdsNoLockBehindTheOneThatItWaitsFor(Threads threads, CapturedOutput output) throws Exception {
		this.template = template(LockSettings.OnEventLoop.WARN);
		LockRequest first = LockRequest.exclusive("group-" + threads).withKey("A");
		LockRequest second = first.withKey("B");
		this.held = this.others.acquire(first);
		CompletableFuture<Object> both = threads
			.run(() -> this.template.executeAll(List.of(first, second), (locks) -> "done"));
		await().until(() -> output.getOut().contains("must not block"));
		this.others.acquire(second.withWaitTime(Duration.ofSeconds(10))).close();
		assertThat(both).isNotDone();
		this.held.close();
		assertThat(both.get(30, TimeUnit.SECONDS)).isEqualTo("done");
	}

	private static void complete(CompletableFuture<Object> result, Supplier<Object> call) {
		try {
			result.complete(call.get());
		}
		catch (Throwable ex) {
			result.completeExceptionally(ex);
		}
	}

	enum Threads {

		REACTOR("parallel-of-test") {

			@Override
			CompletableFuture<Object> run(Supplier<Object> call) {
				CompletableFuture<Object> result = new CompletableFuture<>();
				Scheduler scheduler = Schedulers.newParallel(this.prefix, 1, true);
				scheduler.schedule(() -> complete(result, call));
				return result.whenComplete((value, failure) -> scheduler.dispose());
			}

		},

		NETTY("netty-of-test") {

			@Override
			CompletableFuture<Object> run(Supplier<Object> call) {
				CompletableFuture<Object> result = new CompletableFuture<>();
				new FastThreadLocalThread(() -> complete(result, call), this.prefix).start();
				return result;
			}

		};

		final String prefix;

		Threads(String prefix) {
			this.prefix = prefix;
		}

		abstract CompletableFuture<Object> run(Supplier<Object> call);

	}

}

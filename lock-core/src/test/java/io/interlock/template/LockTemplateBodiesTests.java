package io.interlock.template;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.interlock.LockId;
import io.interlock.LockRequest;
import io.interlock.memory.InMemoryLockProvider;
import io.micrometer.context.ContextRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.task.TaskDecorator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Tests for where the actions of {@link LockTemplate#executeAsync} begin.
 */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class LockTemplateBodiesTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders").withKey(42);

	private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final CompletableFuture<String> work = new CompletableFuture<>();

	private final AtomicInteger begun = new AtomicInteger();

	@AfterEach
	void nothingIsLeftBehind() {
		ContextRegistry.getInstance().removeThreadLocalAccessor("tenant");
		TENANT.remove();
		await().untilAsserted(() -> {
			assertThat(this.provider.grants()).isEmpty();
			assertThat(this.heldLocks.held()).isEmpty();
			assertThat(this.heldLocks.waiting()).isEmpty();
		});
	}

	@Test
	void bodyHasTheContextOfItsCaller() {
		ContextRegistry.getInstance().registerThreadLocalAccessor("tenant", TENANT);
		TENANT.set("north");
		CompletableFuture<String> result = template(LockTemplate.bodiesOn(null)).executeAsync(REQUEST,
				(lock) -> CompletableFuture.completedFuture(TENANT.get()));
		assertThat(result).succeedsWithin(Duration.ofSeconds(20)).isEqualTo("north");
	}

	@Test
	void bodyOnAnExecutorHasItToo() {
		ContextRegistry.getInstance().registerThreadLocalAccessor("tenant", TENANT);
		TENANT.set("north");
		CompletableFuture<String> result = template(LockTemplate.bodiesOn((task) -> new Thread(task, "own").start()))
			.executeAsync(REQUEST,
					(lock) -> CompletableFuture.completedFuture(Thread.currentThread().getName() + " " + TENANT.get()));
		assertThat(result).succeedsWithin(Duration.ofSeconds(20)).isEqualTo("own north");
	}

	@Test
	void executorHasTheContextOfTheLockAndCannotEndIt() {
		AtomicReference<LockId> held = new AtomicReference<>();
		CompletableFuture<Void> ran = new CompletableFuture<>();
		Executor executor = (task) -> new Thread(() -> {
			task.run();
			ran.complete(null);
		}).start();
		CompletableFuture<String> result = template(LockTemplate.bodiesOn(executor)).executeAsync(REQUEST, (lock) -> {
			held.set(LockContext.current().id());
			return this.work;
		});
		assertThat(ran).succeedsWithin(Duration.ofSeconds(20));
		assertThat(held).hasValue(REQUEST.id());
		assertThat(result).isNotDone();
		assertThat(this.provider.grants()).hasSize(1);
		this.work.complete("shipped");
		assertThat(result).succeedsWithin(Duration.ofSeconds(20)).isEqualTo("shipped");
		assertThat(this.provider.grants()).isEmpty();
	}

	@Test
	void rejectionReleasesTheLockAndFailsTheFuture() {
		RejectedExecutionException full = new RejectedExecutionException("full");
		CompletableFuture<String> result = begin(LockTemplate.bodiesOn((task) -> {
			throw full;
		}));
		await().until(result::isDone);
		assertThat(this.provider.grants()).isEmpty();
		assertThat(catchThrowable(result::join)).hasCause(full);
		assertThat(this.begun).hasValue(0);
	}

	@Test
	void failureAfterTheBodyHasBegunDoesNotEndTheHold(CapturedOutput output) {
		CompletableFuture<String> result = begin((body) -> () -> {
			body.run();
			throw new RejectedExecutionException("too late");
		});
		await().until(() -> result.isDone() || output.getOut().contains("too late"));
		assertHeldUntilTheWorkIsDone(result);
	}

	@Test
	void bodyThatIsRunTwiceBeginsOnce() {
		CompletableFuture<Void> ran = new CompletableFuture<>();
		CompletableFuture<String> result = begin((body) -> () -> {
			body.run();
			body.run();
			ran.complete(null);
		});
		assertThat(ran).succeedsWithin(Duration.ofSeconds(20));
		assertHeldUntilTheWorkIsDone(result);
	}

	private void assertHeldUntilTheWorkIsDone(CompletableFuture<String> result) {
		assertThat(this.provider.grants()).hasSize(1);
		assertThat(result).isNotDone();
		this.work.complete("shipped");
		assertThat(result).succeedsWithin(Duration.ofSeconds(20)).isEqualTo("shipped");
		assertThat(this.begun).hasValue(1);
	}

	@Test
	void callerThatGivesUpBeforeTheBodyBeginsFreesTheLock() {
		Queue<Runnable> line = new ArrayDeque<>();
		CompletableFuture<String> result = begin(LockTemplate.bodiesOn(line::add));
		await().until(() -> !line.isEmpty());
		assertThat(this.provider.grants()).hasSize(1);
		result.cancel(true);
		await().until(() -> this.provider.grants().isEmpty());
		line.remove().run();
		assertThat(this.begun).hasValue(0);
	}

	private CompletableFuture<String> begin(TaskDecorator bodies) {
		return template(bodies).executeAsync(REQUEST, (lock) -> {
			this.begun.incrementAndGet();
			return this.work;
		});
	}

	private LockTemplate template(TaskDecorator bodies) {
		return new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks, List.of(), bodies);
	}

}

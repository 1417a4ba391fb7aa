package io.interlock.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.interlock.LockRequest;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockContext;
import io.interlock.template.LockTemplate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for annotated methods with {@link Async}.
 */
@Timeout(60)
class AsyncMethodTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, InterlockAutoConfiguration.class,
				LockAnnotationsAutoConfiguration.class))
		.withUserConfiguration(AsyncConfiguration.class)
		.withPropertyValues("interlock.provider=memory");

	@Test
	void takesTheLockOnTheThreadThatRunsIt() {
		this.contextRunner.run((context) -> {
			Reports reports = context.getBean(Reports.class);
			assertThat(reports.thread().get(10, TimeUnit.SECONDS)).startsWith("reports-");
			assertThat(reports.plain().get(10, TimeUnit.SECONDS)).startsWith("reports-");
			assertThat(context.getBean(HeldLocks.class).held()).isEmpty();
		});
	}

	@Test
	void holdsTheLockUntilTheReturnedFutureCompletes() {
		this.contextRunner.run((context) -> {
			Reports reports = context.getBean(Reports.class);
			HeldLocks heldLocks = context.getBean(HeldLocks.class);
			CompletableFuture<String> result = reports.later();
			reports.awaitBegun();
			assertThat(result).isNotDone();
			assertThat(heldLocks.held()).hasSize(1);
			reports.complete("done");
			assertThat(result).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo("done");
			await().until(() -> heldLocks.held().isEmpty());
		});
	}

	@Test
	void interruptLeavesTheLockToTheWork() {
		this.contextRunner.run((context) -> {
			Reports reports = context.getBean(Reports.class);
			HeldLocks heldLocks = context.getBean(HeldLocks.class);
			CompletableFuture<String> result = reports.later();
			Thread thread = reports.worker();
			await().until(() -> thread.getState() == Thread.State.WAITING);
			thread.interrupt();
			await().until(() -> !thread.isInterrupted() && thread.getState() == Thread.State.WAITING);
			assertThat(reports.isDone()).isFalse();
			assertThat(heldLocks.held()).hasSize(1);
			reports.complete("done");
			assertThat(result).failsWithin(10, TimeUnit.SECONDS)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(InterruptedException.class);
			await().until(() -> heldLocks.held().isEmpty());
		});
	}

	@Test
	void skippedFutureIsNull() {
		this.contextRunner.run((context) -> {
			try (var held = context.getBean(LockTemplate.class).acquire(LockRequest.exclusive("reports"))) {
				assertThat(held.isValid()).isTrue();
				assertThat(context.getBean(Reports.class).skip().get(10, TimeUnit.SECONDS)).isNull();
			}
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class AsyncConfiguration {

		@Bean
		ThreadPoolTaskExecutor taskExecutor() {
			ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
			executor.setCorePoolSize(2);
			executor.setThreadNamePrefix("reports-");
			return executor;
		}

		@Bean
		Reports reports() {
			return new Reports();
		}

	}

	static class Reports {

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CompletableFuture<String> work = new CompletableFuture<>();

		private final CompletableFuture<Thread> worker = new CompletableFuture<>();

		void awaitBegun() throws InterruptedException {
			this.begun.await();
		}

		Thread worker() {
			return this.worker.join();
		}

		boolean isDone() {
			return this.work.isDone();
		}

		void complete(String value) {
			this.work.complete(value);
		}

		@Async
		@DistributedLock("reports")
		public CompletableFuture<String> thread() {
			assertThat(LockContext.current().isDetached()).isFalse();
			return CompletableFuture.completedFuture(Thread.currentThread().getName());
		}

		@Async
		@DistributedLock("reports")
		public Future<String> plain() {
			assertThat(LockContext.current().isValid()).isTrue();
			return CompletableFuture.completedFuture(Thread.currentThread().getName());
		}

		@Async
		@DistributedLock("reports")
		public CompletableFuture<String> later() {
			this.worker.complete(Thread.currentThread());
			this.begun.countDown();
			return this.work;
		}

		@Async
		@DistributedLock(name = "reports", waitTime = "0", onContention = ContentionPolicy.SKIP)
		public CompletableFuture<@Nullable String> skip() {
			return CompletableFuture.completedFuture("ran");
		}

	}

}

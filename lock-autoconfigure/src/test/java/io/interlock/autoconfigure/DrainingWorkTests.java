package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockOperations;
import org.apache.curator.test.TestingServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDataMap;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.quartz.autoconfigure.QuartzAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests work that goes on while its application stops.
 */
@Timeout(60)
class DrainingWorkTests {

	private static final LockRequest ITEM = LockRequest.exclusive("item").withWaitTime(Duration.ZERO);

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class))
		.withPropertyValues("interlock.provider=memory", "interlock.providers.second.provider=memory")
		.withBean(LastPhase.class);

	@ParameterizedTest
	@ValueSource(classes = { OfScheduler.class, OfPool.class, OfVirtualThreads.class, OfAcceptingPool.class })
	void workThatIsWaitedForGetsItsLocksUntilItsEnd(Class<?> executor) {
		this.contextRunner.withUserConfiguration(executor).run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			HeldLocks held = context.getBean(HeldLocks.class);
			assertThat(workThroughStop(context, context.getBean(Executor.class))).succeedsWithin(30, TimeUnit.SECONDS)
				.isEqualTo(10);
			assertThat(held.held()).isEmpty();
			assertRefused(locks);
		});
	}

	@Test
	void workThatIsWaitedForGetsItsLocksInZooKeeperUntilItsEnd() throws Exception {
		try (TestingServer server = new TestingServer()) {
			this.contextRunner.withConfiguration(AutoConfigurations.of(CuratorAutoConfiguration.class))
				.withUserConfiguration(OfPool.class)
				.withPropertyValues("interlock.provider=zookeeper",
						"interlock.zookeeper.connect-string=" + server.getConnectString(),
						"interlock.startup-timeout=30s")
				.run((context) -> assertThat(workThroughStop(context, context.getBean(Executor.class)))
					.succeedsWithin(30, TimeUnit.SECONDS)
					.isEqualTo(10));
		}
	}

	@Test
	void aJobOfQuartzThatIsWaitedForGetsItsLocksUntilItsEnd() {
		this.contextRunner.withConfiguration(AutoConfigurations.of(QuartzAutoConfiguration.class))
			.withPropertyValues("spring.quartz.wait-for-jobs-to-complete-on-shutdown=true")
			.run((context) -> {
				LockOperations locks = context.getBean(LockOperations.class);
				assertThat(workThroughStop(context, quartz(context.getBean(Scheduler.class))))
					.succeedsWithin(30, TimeUnit.SECONDS)
					.isEqualTo(10);
				assertRefused(locks);
			});
	}

	@Test
	void aWaiterIsRefusedWhenTheWorkHasEnded() {
		this.contextRunner.withUserConfiguration(OfPool.class).run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			HeldLocks heldLocks = context.getBean(HeldLocks.class);
			LastPhase lastPhase = context.getBean(LastPhase.class);
			LockGrant other = context.getBean(InMemoryLockProvider.class)
				.attempt(ITEM, LockCaller.current())
				.outcome()
				.join()
				.orElseThrow();
			CompletableFuture<Void> work = CompletableFuture.runAsync(() -> await(lastPhase.stopped),
					context.getBean(Executor.class));
			CompletableFuture<LockHandle> waiter = CompletableFuture
				.supplyAsync(() -> locks.acquire(ITEM.withWaitTime(LockRequest.FOREVER)));
			Awaitility.await().until(() -> !heldLocks.waiting().isEmpty());
			close(context);
			assertThat(work).isCompleted();
			assertThat(waiter).failsWithin(30, TimeUnit.SECONDS)
				.withThrowableThat()
				.havingRootCause()
				.isInstanceOf(LockServiceUnavailableException.class)
				.withMessageContaining("shutting down");
			other.release();
			assertRefused(locks);
		});
	}

	@Test
	void workThatIsNotWaitedForGetsNoLockAfterItsPhase() {
		this.contextRunner.withUserConfiguration(OfImpatientPool.class).run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			LastPhase lastPhase = context.getBean(LastPhase.class);
			lastPhase.atStop = () -> assertRefused(locks);
			close(context);
			assertThat(lastPhase.failure).isNull();
		});
	}

	@Test
	void listenersThatDrainBeforeExecutorsGetTheirLocks() {
		this.contextRunner.run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			Phase listeners = context.getBeanFactory().createBean(Listeners.class);
			context.getBeanFactory().registerSingleton("listeners", listeners);
			listeners.start();
			listeners.atStop = () -> locks.acquire(ITEM).close();
			close(context);
			assertThat(listeners.failure).isNull();
			assertRefused(locks);
		});
	}

	@Test
	void theShutdownTimeoutBoundsWorkThatIsWaitedFor() {
		this.contextRunner.withUserConfiguration(OfPool.class)
			.withPropertyValues("interlock.shutdown-timeout=0")
			.run((context) -> {
				LockOperations locks = context.getBean(LockOperations.class);
				CountDownLatch refused = new CountDownLatch(1);
				CompletableFuture<Void> work = CompletableFuture.runAsync(() -> {
					Awaitility.await().until(() -> isRefused(locks));
					refused.countDown();
				}, context.getBean(Executor.class));
				close(context);
				assertThat(work).succeedsWithin(30, TimeUnit.SECONDS);
				assertThat(refused.getCount()).isZero();
			});
	}

	@Test
	void anApplicationThatStopsWithoutClosingRefusesLocksUntilItStartsAgain() {
		this.contextRunner.withUserConfiguration(OfScheduler.class).run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			ConfigurableApplicationContext application = context
				.getSourceApplicationContext(ConfigurableApplicationContext.class);
			application.stop();
			assertRefused(locks);
			application.start();
			locks.acquire(ITEM).close();
		});
	}

	/** The work begins before the stop, and takes its locks when all phases are over. */
	private static CompletableFuture<Integer> workThroughStop(AssertableApplicationContext context, Executor executor) {
		LockOperations locks = context.getBean(LockOperations.class);
		LastPhase lastPhase = context.getBean(LastPhase.class);
		CountDownLatch started = new CountDownLatch(1);
		CompletableFuture<Integer> work = CompletableFuture.supplyAsync(() -> {
			started.countDown();
			await(lastPhase.stopped);
			int done = 0;
			for (int i = 0; i < 10; i++) {
				try (LockHandle lock = locks.acquire(ITEM.withKey(i))) {
					done += lock.isValid() ? 1 : 0;
				}
			}
			return done;
		}, executor);
		await(started);
		close(context);
		return work;
	}

	private static Executor quartz(Scheduler scheduler) {
		return (body) -> {
			JobDetail job = JobBuilder.newJob(BodyJob.class).usingJobData(new JobDataMap(Map.of("body", body))).build();
			try {
				scheduler.scheduleJob(job, TriggerBuilder.newTrigger().startNow().build());
			}
			catch (SchedulerException ex) {
				throw new IllegalStateException(ex);
			}
		};
	}

	private static void close(AssertableApplicationContext context) {
		context.getSourceApplicationContext(ConfigurableApplicationContext.class).close();
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void assertRefused(LockOperations locks) {
		for (Duration waitTime : List.of(Duration.ZERO, Duration.ofHours(1), LockRequest.FOREVER)) {
			assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> locks.acquire(ITEM.withWaitTime(waitTime)))
				.withMessageContaining("shutting down");
		}
	}

	private static boolean isRefused(LockOperations locks) {
		try {
			locks.acquire(ITEM).close();
			return false;
		}
		catch (LockServiceUnavailableException ex) {
			return true;
		}
	}

	/** Public, as Quartz asks for. */
	public static class BodyJob implements Job {

		@Override
		public void execute(JobExecutionContext context) {
			((Runnable) context.getMergedJobDataMap().get("body")).run();
		}

	}

	abstract static class Phase implements SmartLifecycle {

		final CountDownLatch stopped = new CountDownLatch(1);

		volatile Runnable atStop = () -> {
		};

		volatile Throwable failure;

		private volatile boolean running;

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
			try {
				this.atStop.run();
			}
			catch (RuntimeException | Error ex) {
				this.failure = ex;
			}
			this.stopped.countDown();
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

	}

	static class LastPhase extends Phase {

		@Override
		public int getPhase() {
			return Integer.MIN_VALUE;
		}

	}

	/** In the phase of listeners of Kafka, after web servers. */
	static class Listeners extends Phase {

		@Override
		public int getPhase() {
			return Integer.MAX_VALUE - 4096;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfScheduler {

		@Bean
		ThreadPoolTaskScheduler scheduler() {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.setWaitForTasksToCompleteOnShutdown(true);
			scheduler.setAwaitTerminationSeconds(30);
			return scheduler;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfPool {

		@Bean
		ThreadPoolTaskExecutor pool() {
			ThreadPoolTaskExecutor pool = new ThreadPoolTaskExecutor();
			pool.setWaitForTasksToCompleteOnShutdown(true);
			pool.setAwaitTerminationSeconds(30);
			return pool;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfAcceptingPool {

		@Bean
		ThreadPoolTaskExecutor pool() {
			ThreadPoolTaskExecutor pool = new OfPool().pool();
			pool.setAcceptTasksAfterContextClose(true);
			return pool;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfVirtualThreads {

		@Bean
		SimpleAsyncTaskExecutor executor() {
			SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor();
			executor.setTaskTerminationTimeout(30_000);
			return executor;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfImpatientPool {

		@Bean
		ThreadPoolTaskExecutor pool() {
			return new ThreadPoolTaskExecutor();
		}

	}

}

package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.MovedTime;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.scheduling.config.FixedRateTask;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for scheduled methods on several instances.
 */
class ScheduledJobsTests {

	private static final int FIRINGS = 20;

	private final MovedTime time = new MovedTime();

	private final InMemoryLockProvider store = new InMemoryLockProvider();

	private final AtomicInteger runs = new AtomicInteger();

	private final ApplicationContextRunner instance = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class,
				LockAnnotationsAutoConfiguration.class, AopAutoConfiguration.class))
		.withUserConfiguration(Scheduling.class)
		.withBean(LockProvider.class, () -> this.store)
		.withBean(HeldLocks.class, () -> new HeldLocks(this.time))
		.withBean(Job.class, () -> new Job(this.runs));

	@Test
	void aJobRunsOnceInAPeriodOnThreeInstancesThatStartedAtDifferentMoments() {
		this.instance.run((first) -> this.instance.run((second) -> this.instance.run((third) -> {
			List<Runnable> firings = new ArrayList<>(List.of(task(first), task(second), task(third)));
			for (int period = 1; period <= FIRINGS; period++) {
				for (Runnable firing : firings) {
					firing.run();
					this.time.advance(Duration.ofSeconds(3));
				}
				this.time.advance(Duration.ofSeconds(1));
				assertThat(this.runs).hasValue(period);
			}
		})));
	}

	/** Return what the scheduler of an instance runs, through the proxy. */
	private static Runnable task(ApplicationContext instance) {
		return instance.getBean(ScheduledAnnotationBeanPostProcessor.class)
			.getScheduledTasks()
			.stream()
			.map((task) -> (FixedRateTask) task.getTask())
			.filter((task) -> task.getIntervalDuration().equals(Duration.ofSeconds(10)))
			.map(FixedRateTask::getRunnable)
			.findFirst()
			.orElseThrow();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

	}

	static class Job {

		private final AtomicInteger runs;

		Job(AtomicInteger runs) {
			this.runs = runs;
		}

		/** The test fires it; its own scheduler begins in an hour. */
		@Scheduled(fixedRate = 10, initialDelay = 3600, timeUnit = TimeUnit.SECONDS)
		@DistributedLock(name = "job", minHold = "period", onContention = ContentionPolicy.SKIP)
		public void run() {
			this.runs.incrementAndGet();
		}

	}

}

package io.interlock.interceptor;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import io.interlock.template.MovedTime;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a scheduled job of three instances that started at different moments.
 */
class PeriodOnThreeInstancesTests {

	private static final int FIRINGS = 20;

	private static final List<Duration> APART = List.of(Duration.ofSeconds(3), Duration.ofSeconds(2),
			Duration.ofSeconds(5));

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final MovedTime time = new MovedTime();

	@Test
	void jobRunsOnceInEachPeriod() {
		AtomicInteger runs = new AtomicInteger();
		List<Job> jobs = Stream.generate(() -> job(runs)).limit(APART.size()).toList();
		for (int firing = 1; firing <= FIRINGS; firing++) {
			for (int instance = 0; instance < jobs.size(); instance++) {
				jobs.get(instance).run();
				assertThat(runs).as("runs after %d firings", firing).hasValue(firing);
				this.time.advance(APART.get(instance));
			}
		}
		assertThat(this.provider.grants()).isEmpty();
	}

	private Job job(AtomicInteger runs) {
		LockTemplate template = new LockTemplate(new QueueingLockProvider(this.provider, QueueSettings.defaults()),
				LockSettings.defaults(), new HeldLocks(this.time), List.of());
		ProxyFactory factory = new ProxyFactory(new Job(runs));
		factory.setProxyTargetClass(true);
		factory.addAdvisor(
				new LockAdvisor(new MockEnvironment(), (name) -> LockOverrides.Change.NONE, null, () -> template));
		return (Job) factory.getProxy();
	}

	static class Job {

		private final AtomicInteger runs;

		Job(AtomicInteger runs) {
			this.runs = runs;
		}

		@Scheduled(fixedRate = 10_000)
		@DistributedLock(name = "mail", minHold = "period", onContention = ContentionPolicy.SKIP)
		public void run() {
			this.runs.incrementAndGet();
		}

	}

}

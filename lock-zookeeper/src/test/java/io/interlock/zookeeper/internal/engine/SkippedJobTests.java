package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.interceptor.LockAdvisor;
import io.interlock.interceptor.LockOverrides;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for a job that fires on several instances and is skipped by all but one.
 */
@ExtendWith(SharedServer.class)
@Timeout(120)
class SkippedJobTests {

	private static final int FIRINGS = 50;

	private static final int INSTANCES = 3;

	private static final Duration APART = Duration.ofMillis(5);

	private final LocalServer server;

	private final List<Instance> instances = new ArrayList<>();

	private final ExecutorService schedulers = Executors.newFixedThreadPool(INSTANCES);

	SkippedJobTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() {
		for (int i = 0; i < INSTANCES; i++) {
			this.instances
				.add(Instance.queueing(this.server.connectString(), Duration.ofSeconds(30), QueueSettings.defaults()));
		}
	}

	@AfterEach
	void close() {
		this.schedulers.shutdownNow();
		this.instances.forEach(Instance::close);
	}

	@Test
	@Proves(value = Promise.EXCLUSION, under = Fault.CLOCKS_DIFFER, note = "by 0 to 5 ms, a job with SKIP")
	void jobRunsOnceAFiring() throws Exception {
		AtomicInteger runs = new AtomicInteger();
		for (int firing = 0; firing < FIRINGS; firing++) {
			fire(runs);
		}
		assertThat(runs).hasValue(FIRINGS);
	}

	private void fire(AtomicInteger runs) throws Exception {
		CountDownLatch skipped = new CountDownLatch(INSTANCES - 1);
		long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(5);
		List<Callable<Void>> firings = new ArrayList<>();
		for (int i = 0; i < INSTANCES; i++) {
			Report report = proxy(this.instances.get(i), new Report(runs, skipped));
			long start = due + APART.toNanos() * i / (INSTANCES - 1);
			firings.add(() -> {
				while (System.nanoTime() - start < 0) {
					LockSupport.parkNanos(100_000);
				}
				report.print();
				skipped.countDown();
				return null;
			});
		}
		for (Future<Void> firing : this.schedulers.invokeAll(firings)) {
			firing.get();
		}
	}

	private static Report proxy(Instance instance, Report target) {
		ProxyFactory factory = new ProxyFactory(target);
		factory.addAdvisor(
				new LockAdvisor(new MockEnvironment(), (name) -> LockOverrides.Change.NONE, null, instance::template));
		return (Report) factory.getProxy();
	}

	static class Report {

		private final AtomicInteger runs;

		private final CountDownLatch skipped;

		Report(AtomicInteger runs, CountDownLatch skipped) {
			this.runs = runs;
			this.skipped = skipped;
		}

		/**
		 * Runs until the others were due and have skipped it.
		 */
		@DistributedLock(name = "report", onContention = ContentionPolicy.SKIP)
		public void print() {
			this.runs.incrementAndGet();
			await().pollInterval(Duration.ofMillis(5))
				.atMost(Duration.ofSeconds(30))
				.until(() -> this.skipped.getCount() == 0);
		}

	}

}

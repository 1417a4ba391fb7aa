package io.interlock.shedlock;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockServiceUnavailableException;
import io.interlock.template.HeldLocks;
import io.interlock.testsupport.thread.Background;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests {@link SchedulerLock} on two instances of an application that has nothing but the
 * dependency.
 */
@Timeout(120)
class SchedulerLockTests {

	private static Instances instances;

	private static ConfigurableApplicationContext first;

	private static ConfigurableApplicationContext second;

	@BeforeAll
	static void start() throws Exception {
		instances = new Instances();
		first = instances.start(Application.class);
		second = instances.start(Application.class);
	}

	@AfterAll
	static void stop() throws Exception {
		instances.close();
	}

	@Test
	void taskRunsOnOneInstanceAndTheOtherSkips() throws Exception {
		Progress progress = progress(first);
		Background<Boolean> running = Background.start(tasks(first)::settle);
		assertThat(progress.started.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(tasks(second).settle()).isNull();
		progress.goOn.countDown();
		assertThat(running.join()).isTrue();
		progress(second).goOn.countDown();
		await().untilAsserted(() -> assertThat(tasks(second).settle()).isTrue());
	}

	@Test
	void taskThatEndsEarlyIsSkippedForItsMinimumTime() {
		tasks(first).report();
		tasks(second).report();
		assertThat(progress(second).reports).hasValue(0);
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			tasks(second).report();
			assertThat(progress(second).reports).hasValue(1);
		});
	}

	/**
	 * ShedLock throws the exception of the caller when it unlocks what was not extended.
	 */
	@Test
	void taskThatExtendsItsLockIsToldThatItIsLost() throws Exception {
		tasks(first).export(() -> {
		});
		assertThat(progress(first).extensions).hasValue(1);
		assertThatIllegalStateException().isThrownBy(() -> tasks(first).export(() -> Instances.endSession(first)));
		assertThat(progress(first).extensions).hasValue(1);
		assertThat(progress(first).refusals).hasValue(1);
		assertThat(first.getBean(HeldLocks.class).held()).isEmpty();
		Instances.awaitLocks(first);
	}

	@Test
	void outageFailsTheTaskInsteadOfSkippingIt() throws Exception {
		try (Instances withoutServer = new Instances()) {
			ConfigurableApplicationContext instance = withoutServer.start(Application.class,
					"--interlock.try-timeout=1s");
			withoutServer.stopServer();
			assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(tasks(instance)::report)
				.withMessageContaining("shedlock[report]");
			assertThat(progress(instance).reports).hasValue(0);
		}
	}

	private static Tasks tasks(ConfigurableApplicationContext instance) {
		return instance.getBean(Tasks.class);
	}

	private static Progress progress(ConfigurableApplicationContext instance) {
		return instance.getBean(Progress.class);
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@EnableSchedulerLock(defaultLockAtMostFor = "10m")
	static class Application {

		@Bean
		Progress progress() {
			return new Progress();
		}

		@Bean
		Tasks tasks(Progress progress) {
			return new Tasks(progress);
		}

	}

	static final class Progress {

		private final CountDownLatch started = new CountDownLatch(1);

		private final CountDownLatch goOn = new CountDownLatch(1);

		private final AtomicInteger reports = new AtomicInteger();

		private final AtomicInteger extensions = new AtomicInteger();

		private final AtomicInteger refusals = new AtomicInteger();

	}

	static class Tasks {

		private final Progress progress;

		Tasks(Progress progress) {
			this.progress = progress;
		}

		@SchedulerLock(name = "settlement")
		public Boolean settle() throws InterruptedException {
			LockAssert.assertLocked();
			this.progress.started.countDown();
			return this.progress.goOn.await(30, TimeUnit.SECONDS);
		}

		@SchedulerLock(name = "report", lockAtLeastFor = "5s")
		public void report() {
			this.progress.reports.incrementAndGet();
		}

		@SchedulerLock(name = "export")
		public void export(Step before) throws Exception {
			before.run();
			try {
				LockExtender.extendActiveLock(Duration.ofMinutes(10), Duration.ZERO);
				this.progress.extensions.incrementAndGet();
			}
			catch (LockExtender.LockCanNotBeExtendedException ex) {
				this.progress.refusals.incrementAndGet();
			}
		}

	}

	interface Step {

		void run() throws Exception;

	}

}

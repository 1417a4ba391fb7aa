package io.interlock.shedlock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.test.support.AbstractLockProviderIntegrationTest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The tests that ShedLock publishes for its providers. One of them is another one here: a
 * lock does not end with {@code lockAtMostFor} while its instance lives.
 */
@Timeout(120)
class ShedLockIntegrationTests extends AbstractLockProviderIntegrationTest {

	private static Instances instances;

	private static ConfigurableApplicationContext application;

	private static ConfigurableApplicationContext observer;

	@BeforeAll
	static void start() throws Exception {
		instances = new Instances();
		application = instances.start(Application.class);
		observer = instances.start(Application.class);
	}

	@AfterAll
	static void stop() throws Exception {
		instances.close();
	}

	@Override
	protected LockProvider getLockProvider() {
		return application.getBean(LockProvider.class);
	}

	/** A release goes on when {@code unlock()} has returned. */
	@Override
	protected void assertUnlocked(String lockName) {
		await().untilAsserted(() -> assertThat(Instances.contenders(observer, lockName)).isZero());
	}

	@Override
	protected void assertLocked(String lockName) {
		assertThat(Instances.contenders(observer, lockName)).isOne();
	}

	/**
	 * In other stores the lock is free when {@code lockAtMostFor} is over, whether the
	 * task runs or not. Here a task that runs keeps its lock, and is reported.
	 */
	@Test
	@Override
	public void shouldTimeout() {
		OverdueTasks overdue = application.getBean(OverdueTasks.class);
		int before = overdue.count.get();
		Optional<SimpleLock> lock = getLockProvider()
			.lock(lockConfig(this.LOCK_NAME1, Duration.ofMillis(50), Duration.ZERO));
		assertThat(lock).isPresent();
		await().until(() -> overdue.count.get() == before + 1);
		assertLocked(this.LOCK_NAME1);
		assertThat(observer.getBean(LockProvider.class).lock(lockConfig(this.LOCK_NAME1))).isEmpty();
		lock.get().unlock();
		assertUnlocked(this.LOCK_NAME1);
	}

	/**
	 * The published test sleeps, and looks once. A machine that stalls may be late with
	 * the release.
	 */
	@Test
	@Override
	public void shouldLockAtLeastFor() {
		getLockProvider().lock(lockConfig(this.LOCK_NAME1, LOCK_AT_LEAST_FOR.multipliedBy(2), LOCK_AT_LEAST_FOR))
			.orElseThrow()
			.unlock();
		assertThat(getLockProvider().lock(lockConfig(this.LOCK_NAME1))).isEmpty();
		await().atMost(Duration.ofMinutes(1))
			.until(() -> getLockProvider().lock(lockConfig(this.LOCK_NAME1)), Optional::isPresent)
			.orElseThrow()
			.unlock();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

		@Bean
		OverdueTasks overdueTasks() {
			return new OverdueTasks();
		}

	}

	static final class OverdueTasks implements LockListener {

		private final AtomicInteger count = new AtomicInteger();

		@Override
		public void onOverdue(LockHandle lock, Duration held) {
			this.count.incrementAndGet();
		}

	}

}

package io.interlock.integration;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.interlock.LockLostException;
import io.interlock.LockServiceUnavailableException;
import io.interlock.template.HeldLocks;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests what two instances with a registry each are told when a session ends and when no
 * server answers.
 */
@Timeout(120)
class LostLockTests {

	private static final String KEY = "orders";

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

	/**
	 * The next test may come before the session that was ended has a successor.
	 */
	@AfterEach
	void awaitSession() {
		Instances.awaitLocks(first);
	}

	@Test
	void lockExcludesTheOtherInstance() throws Exception {
		Lock lock = obtain(first);
		lock.lock();
		assertThat(obtain(second).tryLock()).isFalse();
		assertThat(obtain(second).tryLock(1, TimeUnit.SECONDS)).isFalse();
		lock.unlock();
		assertThat(obtain(second).tryLock(40, TimeUnit.SECONDS)).isTrue();
		obtain(second).unlock();
	}

	@Test
	void lostLockIsToldByUnlockAndGoesToTheOtherInstance() throws Exception {
		Lock lock = obtain(first);
		lock.lock();
		Instances.endSession(first);
		Lock other = obtain(second);
		assertThat(other.tryLock(40, TimeUnit.SECONDS)).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock)
			.withMessageContaining("spring-integration[orders]");
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		other.unlock();
		assertThat(lock.tryLock(40, TimeUnit.SECONDS)).isTrue();
		lock.unlock();
		assertThat(first.getBean(HeldLocks.class).held()).isEmpty();
	}

	@Test
	void threadThatHoldsALostLockDoesNotLockItAgain() throws Exception {
		Lock lock = obtain(first);
		lock.lock();
		Instances.endSession(first);
		assertThat(obtain(second).tryLock(40, TimeUnit.SECONDS)).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.tryLock(40, TimeUnit.SECONDS));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		obtain(second).unlock();
	}

	@Test
	void outageIsNoContention() throws Exception {
		try (Instances withoutServer = new Instances()) {
			ConfigurableApplicationContext instance = withoutServer.start(Application.class);
			withoutServer.stopServer();
			Lock lock = obtain(instance);
			assertThatExceptionOfType(LockServiceUnavailableException.class)
				.isThrownBy(() -> lock.tryLock(200, TimeUnit.MILLISECONDS))
				.withMessageContaining("spring-integration[orders]");
			HeldLocks heldLocks = instance.getBean(HeldLocks.class);
			Background<Boolean> waiter = Background.start(() -> {
				lock.lockInterruptibly();
				return true;
			});
			await().until(() -> !heldLocks.waiting().isEmpty());
			waiter.interrupt();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(waiter::join);
		}
	}

	private static Lock obtain(ConfigurableApplicationContext instance) {
		return instance.getBean(InterlockLockRegistry.class).obtain(KEY);
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

		Application(LockRegistry<?> registry) {
			assertThat(registry).isInstanceOf(InterlockLockRegistry.class);
		}

	}

}

package io.interlock.integration;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.interlock.LockLostException;
import io.interlock.LockServiceUnavailableException;
import io.interlock.template.HeldLocks;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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

	private Instances instances;

	private ConfigurableApplicationContext first;

	private ConfigurableApplicationContext second;

	@BeforeEach
	void start() throws Exception {
		this.instances = new Instances();
		this.first = this.instances.start(Application.class);
		this.second = this.instances.start(Application.class);
	}

	@AfterEach
	void stop() throws Exception {
		this.instances.close();
	}

	@Test
	void lockExcludesTheOtherInstance() throws Exception {
		Lock lock = obtain(this.first);
		lock.lock();
		assertThat(obtain(this.second).tryLock()).isFalse();
		assertThat(obtain(this.second).tryLock(5, TimeUnit.SECONDS)).isFalse();
		lock.unlock();
		assertThat(obtain(this.second).tryLock(40, TimeUnit.SECONDS)).isTrue();
		obtain(this.second).unlock();
	}

	@Test
	void lostLockIsToldByUnlockAndGoesToTheOtherInstance() throws Exception {
		Lock lock = obtain(this.first);
		lock.lock();
		Instances.endSession(this.first);
		Lock other = obtain(this.second);
		assertThat(other.tryLock(40, TimeUnit.SECONDS)).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock)
			.withMessageContaining("spring-integration[orders]");
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		other.unlock();
		assertThat(lock.tryLock(40, TimeUnit.SECONDS)).isTrue();
		lock.unlock();
		assertThat(this.first.getBean(HeldLocks.class).held()).isEmpty();
	}

	@Test
	void threadThatHoldsALostLockDoesNotLockItAgain() throws Exception {
		Lock lock = obtain(this.first);
		lock.lock();
		Instances.endSession(this.first);
		assertThat(obtain(this.second).tryLock(40, TimeUnit.SECONDS)).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.tryLock(40, TimeUnit.SECONDS));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		obtain(this.second).unlock();
	}

	@Test
	void outageIsNoContention() throws Exception {
		this.instances.stopServer();
		Lock lock = obtain(this.first);
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> lock.tryLock(200, TimeUnit.MILLISECONDS))
			.withMessageContaining("spring-integration[orders]");
		HeldLocks heldLocks = this.first.getBean(HeldLocks.class);
		Background<Boolean> waiter = Background.start(() -> {
			lock.lockInterruptibly();
			return true;
		});
		await().until(() -> !heldLocks.waiting().isEmpty());
		waiter.interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(waiter::join);
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

package io.interlock.test;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.memory.InMemoryLockProvider;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/**
 * Auto-configuration for locks under the control of a test.
 *
 * @since 0.1.0
 * @see AutoConfigureTestLocks
 */
@AutoConfiguration(before = InterlockAutoConfiguration.class)
public final class TestLocksAutoConfiguration {

	/** Comes before a provider of the application. */
	@Bean
	@Primary
	InMemoryLockProvider testLockProvider() {
		return new InMemoryLockProvider();
	}

	@Bean
	LockHistory testLockHistory() {
		return new LockHistory();
	}

	@Bean
	TestLocks testLocks(InMemoryLockProvider testLockProvider, LockHistory testLockHistory) {
		return new TestLocks(testLockProvider, testLockHistory);
	}

}

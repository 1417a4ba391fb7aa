package io.interlock.test;

import io.interlock.LockListener;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.store.StoreChoice;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockTemplate;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Primary;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Auto-configuration for locks under the control of a test.
 *
 * @since 0.1.0
 * @see AutoConfigureTestLocks
 */
@AutoConfiguration(before = InterlockAutoConfiguration.class)
@Conditional(TestLocksAutoConfiguration.WithoutLocksOfParent.class)
public final class TestLocksAutoConfiguration {

	@Bean
	TestLocks interlockTestLocks(ObjectProvider<LockTemplate> template) {
		return new TestLocks(template::getObject);
	}

	/** Takes precedence over a provider of the application. */
	@Bean
	@Primary
	InMemoryLockProvider interlockTestLockProvider(TestLocks testLocks) {
		return testLocks.provider();
	}

	/** Takes precedence over one of the application, which has no virtual time. */
	@Bean
	@Primary
	HeldLocks interlockTestHeldLocks(TestLocks testLocks) {
		return testLocks.heldLocks();
	}

	@Bean
	LockListener interlockTestLockRecorder(TestLocks testLocks) {
		return testLocks.recorder();
	}

	@Bean
	LockListener interlockTestLockWaits(TestLocks testLocks) {
		return testLocks.waits();
	}

	static class WithoutLocksOfParent implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			return !StoreChoice.isMadeByParent(context.getBeanFactory());
		}

	}

}

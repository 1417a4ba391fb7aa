package io.interlock.autoconfigure;

import io.interlock.annotation.DistributedLock;
import io.interlock.interceptor.RecordingLockOperations;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.BeanRegistrar;
import org.springframework.beans.factory.BeanRegistry;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.resilience.InvocationRejectedException;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests what the news of Spring Framework 7 and Spring Boot 4 mean for a locked method,
 * so that a change of theirs is seen.
 */
class NewsOfSpringTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAnnotationsAutoConfiguration.class, AopAutoConfiguration.class))
		.withBean(RecordingLockOperations.class);

	@Test
	void eachAttemptOfARetryTakesTheLockAnew() {
		this.contextRunner.withUserConfiguration(Resilience.class).withBean(Work.class).run((context) -> {
			context.getBean(Work.class).retry();
			assertThat(context.getBean(RecordingLockOperations.class).requests()).hasSize(3);
		});
	}

	@Test
	void aCallBeyondAConcurrencyLimitAsksForNoLock() {
		this.contextRunner.withUserConfiguration(Resilience.class).withBean(Work.class).run((context) -> {
			Work work = context.getBean(Work.class);
			work.limited(() -> assertThatExceptionOfType(InvocationRejectedException.class)
				.isThrownBy(() -> work.limited(() -> {
				})));
			assertThat(context.getBean(RecordingLockOperations.class).requests()).hasSize(1);
		});
	}

	@Test
	void aBeanOfARegistrarIsLocked() {
		this.contextRunner.withUserConfiguration(Registering.class).run((context) -> {
			context.getBean(Work.class).run();
			assertThat(context.getBean(RecordingLockOperations.class).requests()).hasSize(1);
		});
	}

	@Test
	void aBeanThatIsLazyByAPropertyIsLocked() {
		this.contextRunner
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withBean("work", Work.class)
			.run((context) -> {
				assertThat(context.getBeanFactory().getBeanDefinition("work").isLazyInit()).isTrue();
				context.getBean(Work.class).run();
				assertThat(context.getBean(RecordingLockOperations.class).requests()).hasSize(1);
			});
	}

	static class Work {

		private int attempts;

		@DistributedLock("work")
		public void run() {
		}

		@Retryable(maxRetries = 2, delay = 0)
		@DistributedLock("work")
		public void retry() {
			this.attempts++;
			if (this.attempts < 3) {
				throw new IllegalStateException("Attempt %d".formatted(this.attempts));
			}
		}

		@ConcurrencyLimit(limit = 1, policy = ConcurrencyLimit.ThrottlePolicy.REJECT)
		@DistributedLock("work")
		public void limited(Runnable body) {
			body.run();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods(proxyTargetClass = true)
	static class Resilience {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(WorkRegistrar.class)
	static class Registering {

	}

	static class WorkRegistrar implements BeanRegistrar {

		@Override
		public void register(BeanRegistry registry, Environment environment) {
			registry.registerBean(Work.class, (bean) -> bean.supplier((context) -> new Work()));
		}

	}

}

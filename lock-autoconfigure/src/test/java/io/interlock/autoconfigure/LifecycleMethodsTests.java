package io.interlock.autoconfigure;

import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.LeaderOnly;
import io.interlock.autoconfigure.leader.LeaderElectionAutoConfiguration;
import io.interlock.interceptor.LockDefinitionException;
import io.interlock.template.LockContext;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests annotated methods that the container calls without their proxy.
 */
@ExtendWith(OutputCaptureExtension.class)
class LifecycleMethodsTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(InterlockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class,
						LeaderElectionAutoConfiguration.class, AopAutoConfiguration.class))
		.withPropertyValues("interlock.provider=memory");

	@ParameterizedTest
	@ValueSource(classes = { Constructed.class, Initialized.class, Destroyed.class, Disposed.class, Closed.class,
			OfInitMethod.class, OfDestroyMethod.class, Led.class })
	void aMethodThatTheContainerCallsFailsTheStart(Class<?> configuration) {
		this.contextRunner.withUserConfiguration(configuration).run((context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = new LockFailureAnalyzer.Definition().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains("LifecycleMethodsTests",
					"The container calls it on the bean");
			assertThat(analysis.getAction()).contains("ApplicationRunner", "SmartLifecycle");
		});
	}

	@Test
	void theAnnotationOfAClassIsOneWarning(CapturedOutput output) {
		this.contextRunner.withUserConfiguration(OfClass.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).containsOnlyOnce("The container calls it on the bean");
		});
	}

	@Test
	void aMethodThatIsInferredToDestroyIsOneWarning(CapturedOutput output) {
		this.contextRunner.withUserConfiguration(OfInferredMethod.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).containsOnlyOnce("The container calls it on the bean");
		});
	}

	@Test
	void canBeAWarning(CapturedOutput output) {
		this.contextRunner.withUserConfiguration(Constructed.class)
			.withPropertyValues("interlock.annotations.unproxied=warn")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).containsOnlyOnce("The container calls it on the bean");
			});
	}

	@Test
	void canBeIgnored(CapturedOutput output) {
		this.contextRunner.withUserConfiguration(Constructed.class)
			.withPropertyValues("interlock.annotations.unproxied=ignore")
			.run((context) -> assertThat(output).doesNotContain("The container calls it"));
	}

	@Test
	void otherMethodsOfSuchBeansAndRunnersAreLocked(CapturedOutput output) {
		this.contextRunner.withUserConfiguration(Runner.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).doesNotContain("The container calls it");
			context.getBean(ApplicationRunner.class).run(null);
		});
	}

	@Test
	void lazyBeansAreCheckedWhenTheyAreMade() {
		this.contextRunner
			.withBean("lazy", Constructed.class, Constructed::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(catchThrowable(() -> context.getBean("lazy")))
					.hasRootCauseInstanceOf(LockDefinitionException.class);
			});
	}

	static class Constructed {

		@PostConstruct
		@DistributedLock("start")
		public void start() {
		}

	}

	static class Initialized implements InitializingBean {

		@Override
		@DistributedLock("start")
		public void afterPropertiesSet() {
		}

	}

	static class Destroyed {

		@PreDestroy
		@DistributedLock("stop")
		public void stop() {
		}

	}

	static class Disposed implements DisposableBean {

		@Override
		@DistributedLock("stop")
		public void destroy() {
		}

	}

	static class Closed implements AutoCloseable {

		@Override
		@DistributedLock("stop")
		public void close() {
		}

	}

	static class Led {

		@PostConstruct
		@LeaderOnly("start")
		public void start() {
		}

	}

	static class Work {

		@DistributedLock("start")
		public void begin() {
		}

		@DistributedLock("stop")
		public void shutdown() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfInitMethod {

		@Bean(initMethod = "begin", destroyMethod = "")
		Work work() {
			return new Work();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfDestroyMethod {

		@Bean(destroyMethod = "shutdown")
		Work work() {
			return new Work();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfInferredMethod {

		@Bean
		Work work() {
			return new Work();
		}

	}

	@DistributedLock("whole")
	static class OfClass {

		@PostConstruct
		public void start() {
		}

		@PreDestroy
		public void stop() {
		}

		public void work() {
		}

	}

	static class Runner implements ApplicationRunner {

		private boolean constructed;

		@PostConstruct
		public void construct() {
			this.constructed = true;
		}

		@Override
		@DistributedLock("run")
		public void run(ApplicationArguments arguments) {
			assertThat(LockContext.current().id().name()).isEqualTo("run");
			assertThat(this.constructed).isTrue();
		}

	}

}

package io.interlock.autoconfigure;

import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.DistributedSemaphore;
import io.interlock.annotation.LeaderOnly;
import io.interlock.autoconfigure.leader.LeaderElectionAutoConfiguration;
import io.interlock.interceptor.LockDefinitionException;
import io.interlock.interceptor.UnproxiedBeans;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.PriorityOrdered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link UnproxiedBeans}.
 */
class UnproxiedBeansTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(InterlockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class,
						LeaderElectionAutoConfiguration.class, AopAutoConfiguration.class))
		.withPropertyValues("interlock.provider=memory");

	@ParameterizedTest
	@ValueSource(classes = { OfPostProcessor.class, OfFactoryPostProcessor.class, ThroughAnotherBean.class,
			OfPrototype.class, OfProduct.class })
	void aBeanThatIsMadeTooEarlyFailsTheStart(Class<?> configuration) {
		this.contextRunner.withUserConfiguration(configuration).run((context) -> {
			FailureAnalysis analysis = new LockFailureAnalyzer.Definition().analyze(context.getStartupFailure());
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains(Settlement.class.getName() + ".settle",
					"The bean 'settlement' has no proxy", "because the bean 'asker' needs it");
			assertThat(analysis.getAction()).contains("ObjectProvider", "interlock.annotations.unproxied");
		});
	}

	@Test
	void methodsOfTheLeaderAndPermitsAreLookedForToo() {
		this.contextRunner.withUserConfiguration(OfLeader.class)
			.run((context) -> assertFailed(context, "The bean 'leading' has no proxy"));
		this.contextRunner.withUserConfiguration(OfSemaphore.class)
			.run((context) -> assertFailed(context, "The bean 'limited' has no proxy"));
	}

	@Test
	void anAspectHasNoProxyAtAnyTime() {
		this.contextRunner.withBean("aspect", LockedAspect.class)
			.run((context) -> assertFailed(context, "it is an aspect, or another bean that Spring does not proxy"));
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void canBeAWarning(CapturedOutput output) {
		this.contextRunner.withUserConfiguration(OfPostProcessor.class)
			.withPropertyValues("interlock.annotations.unproxied=warn")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).containsOnlyOnce("The bean 'settlement' has no proxy");
			});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void canBeIgnored(CapturedOutput output) {
		this.contextRunner.withUserConfiguration(OfPostProcessor.class)
			.withPropertyValues("interlock.annotations.unproxied=ignore")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).doesNotContain("has no proxy");
			});
	}

	@Test
	void beansWithAProxyStart() {
		this.contextRunner.withUserConfiguration(InTime.class).run((context) -> {
			assertThat(context).hasNotFailed();
			for (String name : new String[] { "settlement", "prototype", "product", "lazy", "scopedTarget.scoped" }) {
				assertThat(AopUtils.isCglibProxy(context.getBean(name))).as(name).isTrue();
			}
		});
	}

	@Test
	void lazyBeansStayLazy() {
		this.contextRunner.withUserConfiguration(InTime.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean("count", AtomicInteger.class)).hasValue(0);
		});
	}

	@Test
	void objectsThatTheContainerHasNotMadeAreLeftAlone() {
		this.contextRunner
			.withInitializer(
					(context) -> context.getBeanFactory().registerSingleton("settlement", mock(Settlement.class)))
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aChildContextLooksAtItsOwnBeans() {
		this.contextRunner.run((parent) -> this.contextRunner.withParent(parent)
			.withUserConfiguration(OfPostProcessor.class)
			.run((child) -> assertFailed(child, "The bean 'settlement' has no proxy")));
	}

	private static void assertFailed(AssertableApplicationContext context, String message) {
		assertThat(context).hasFailed()
			.getFailure()
			.isInstanceOf(LockDefinitionException.class)
			.hasMessageContaining(message);
	}

	static class Settlement {

		@DistributedLock("settlement")
		public void settle() {
		}

	}

	static class Leading {

		@LeaderOnly("billing")
		public void bill() {
		}

	}

	static class Limited {

		@DistributedSemaphore(name = "slots", permits = "2")
		public void call() {
		}

	}

	@Aspect
	static class LockedAspect {

		@DistributedLock("aspect")
		public void run() {
		}

	}

	static class Needing {

	}

	static class EarlyProcessor implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfPostProcessor {

		@Bean
		static EarlyProcessor asker(Settlement settlement) {
			return new EarlyProcessor();
		}

		@Bean
		static Settlement settlement() {
			return new Settlement();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfFactoryPostProcessor {

		@Bean
		static BeanFactoryPostProcessor asker(Settlement settlement) {
			return (beanFactory) -> {
			};
		}

		@Bean
		static Settlement settlement() {
			return new Settlement();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ThroughAnotherBean {

		@Bean
		static EarlyProcessor asker(Needing needing) {
			return new EarlyProcessor();
		}

		@Bean
		static Needing needing(Settlement settlement) {
			return new Needing();
		}

		@Bean
		static Settlement settlement() {
			return new Settlement();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfPrototype {

		@Bean
		static EarlyProcessor asker(Settlement settlement) {
			return new EarlyProcessor();
		}

		@Bean
		@Scope("prototype")
		static Settlement settlement() {
			return new Settlement();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfProduct {

		@Bean
		static EarlyProcessor asker(Settlement settlement) {
			return new EarlyProcessor();
		}

		@Bean
		static SettlementFactory settlement() {
			return new SettlementFactory();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfLeader {

		@Bean
		static EarlyProcessor asker(Leading leading) {
			return new EarlyProcessor();
		}

		@Bean
		static Leading leading() {
			return new Leading();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfSemaphore {

		@Bean
		static EarlyProcessor asker(Limited limited) {
			return new EarlyProcessor();
		}

		@Bean
		static Limited limited() {
			return new Limited();
		}

	}

	/** A processor that asks in time, and beans of all scopes. */
	@Configuration(proxyBeanMethods = false)
	static class InTime {

		@Bean
		static EarlyProcessor asker(ObjectProvider<Settlement> settlement, @Lazy Settlement lazy,
				@Lazy SettlementFactory factory) {
			return new EarlyProcessor();
		}

		@Bean
		AtomicInteger count() {
			return new AtomicInteger();
		}

		@Bean
		Settlement settlement() {
			return new Settlement();
		}

		@Bean
		@Scope("prototype")
		Settlement prototype() {
			return new Settlement();
		}

		@Bean
		SettlementFactory product() {
			return new SettlementFactory();
		}

		@Bean
		@Lazy
		Settlement lazy(AtomicInteger count) {
			count.incrementAndGet();
			return new Settlement();
		}

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
		Settlement scoped() {
			return new Settlement();
		}

	}

	static class SettlementFactory implements FactoryBean<Settlement> {

		@Override
		public Settlement getObject() {
			return new Settlement();
		}

		@Override
		public Class<?> getObjectType() {
			return Settlement.class;
		}

	}

}

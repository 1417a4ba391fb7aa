package io.interlock.autoconfigure;

import java.util.function.Consumer;

import io.interlock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockFailureAnalyzer.Proxy}.
 */
class LockProxyFailureAnalyzerTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAnnotationsAutoConfiguration.class, AopAutoConfiguration.class));

	@Test
	void isRegistered() {
		assertThat(SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, FailureHandler.handleMessage((message, failure) -> {
			}))).hasAtLeastOneElementOfType(LockFailureAnalyzer.Proxy.class);
	}

	@Test
	void explainsFinalClassThatHasAnInterface() {
		start(FinalJob.class, (analysis) -> {
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).isEqualTo(
					"The lock annotation on %1$s.run() cannot work: The class %1$s is final, so it cannot have a "
						.formatted(FinalJob.class.getName()) + "proxy that is a subclass.");
			assertThat(analysis.getAction()).startsWith("Remove 'final'")
				.contains("@Proxyable(ProxyType.INTERFACES) and inject it as a Runnable");
		});
	}

	@Test
	void explainsRecordThatHasAnInterface() {
		start(RecordJob.class, (analysis) -> {
			assertThat(analysis).isNotNull();
			assertThat(analysis.getDescription()).contains("The record " + RecordJob.class.getName() + " is final");
			assertThat(analysis.getAction()).startsWith("Move the method out of the record")
				.contains("inject it as a Runnable");
		});
	}

	@Test
	void theAdviceWorks() {
		this.contextRunner.withBean(ProxiedJob.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Runnable.class))).isTrue();
		});
	}

	@Test
	void leavesFailuresOfOtherProxiesAlone() {
		this.contextRunner.withUserConfiguration(AsyncConfiguration.class)
			.withBean(FinalAsync.class)
			.run((context) -> assertThat(analysis(context.getStartupFailure())).isNull());
	}

	private void start(Class<?> bean, Consumer<FailureAnalysis> test) {
		this.contextRunner.withBean(bean).run((context) -> {
			assertThat(context).hasFailed();
			test.accept(analysis(context.getStartupFailure()));
		});
	}

	private static @Nullable FailureAnalysis analysis(@Nullable Throwable failure) {
		assertThat(failure).isNotNull();
		return new LockFailureAnalyzer.Proxy().analyze(failure);
	}

	static final class FinalJob implements Runnable {

		@Override
		@DistributedLock("jobs")
		public void run() {
		}

	}

	record RecordJob() implements Runnable {

		@Override
		@DistributedLock("jobs")
		public void run() {
		}

	}

	@Proxyable(ProxyType.INTERFACES)
	record ProxiedJob() implements Runnable {

		@Override
		@DistributedLock("jobs")
		public void run() {
		}

	}

	static final class FinalAsync implements Runnable {

		@Override
		@Async
		public void run() {
		}

	}

	@EnableAsync(proxyTargetClass = true)
	static class AsyncConfiguration {

	}

}

package io.interlock.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.function.Function;

import io.interlock.LockException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.LeaderOnly;
import io.interlock.autoconfigure.leader.LeaderElectionAutoConfiguration;
import io.interlock.interceptor.LockDefinitionException;
import io.interlock.leader.LeaderElection;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import org.aopalliance.intercept.MethodInterceptor;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.registry.ImportHttpServices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for annotated interfaces whose beans are proxies of Spring before they get the
 * advice of their lock. The JDK has one class for all proxies with the same interfaces.
 */
class ProxiesOfSpringTests {

	private static final String LOCK = "remote";

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(InterlockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class,
						LeaderElectionAutoConfiguration.class, AopAutoConfiguration.class))
		.withPropertyValues("interlock.provider=memory");

	@Test
	void aClientOfAnHttpServiceIsLocked() {
		this.contextRunner.withUserConfiguration(HttpClients.class)
			.run((context) -> assertLocked(context, context.getBean(Stock.class)::take));
	}

	@Test
	void aProxyOfTheApplicationIsLocked() {
		this.contextRunner.withBean(Stock.class, ProxiesOfSpringTests::proxy)
			.run((context) -> assertLocked(context, context.getBean(Stock.class)::take));
	}

	@Test
	void aProxyThatSpringMakesOpaqueIsLocked() {
		this.contextRunner.withBean(Stock.class, () -> proxy((factory) -> factory.setOpaque(true)))
			.run((context) -> assertLocked(context, context.getBean(Stock.class)::take));
	}

	@Test
	void aClientOfAnHttpServiceIsRefusedUnlessItLeads() {
		this.contextRunner.withUserConfiguration(HttpClients.class).run((context) -> {
			context.getBean(LeaderElection.class).stop();
			assertThatExceptionOfType(LockException.class).isThrownBy(context.getBean(Stock.class)::bill);
		});
	}

	@Test
	void aProxyThatIsMadeTooEarlyFailsTheStartAndNamesTheMethodOfTheInterface() {
		this.contextRunner.withUserConfiguration(Early.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockDefinitionException.class)
				.hasMessageContaining(Stock.class.getName())
				.hasMessageContaining("The bean 'stock' has no proxy, so its methods run without their locks")
				.hasMessageContaining("because the bean 'asker' needs it"));
	}

	@Test
	void aProxyOfOthersIsNoneThatLocks() {
		this.contextRunner.withUserConfiguration(OnlyAsync.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockDefinitionException.class)
				.hasMessageContaining("The bean 'aspect' has no proxy, so its methods run without their locks"));
	}

	private static void assertLocked(AssertableApplicationContext context, Function<String, String> call) {
		assertThat(context).hasNotFailed();
		InMemoryLockProvider provider = context.getBean(InMemoryLockProvider.class);
		LockGrant other = hold(provider, LockRequest.exclusive(LOCK).withKey("7"));
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> call.apply("7"));
		assertThat(call.apply("8")).isEqualTo("8");
		other.release();
		assertThat(call.apply("7")).isEqualTo("7");
	}

	private static LockGrant hold(InMemoryLockProvider provider, LockRequest request) {
		return provider.attempt(request, LockCaller.current()).outcome().join().orElseThrow();
	}

	private static Stock proxy() {
		return proxy((factory) -> {
		});
	}

	private static Stock proxy(Consumer<ProxyFactory> customizer) {
		MethodInterceptor answer = (invocation) -> invocation.getArguments()[0];
		ProxyFactory factory = new ProxyFactory(Stock.class, answer);
		customizer.accept(factory);
		return (Stock) factory.getProxy();
	}

	@HttpExchange
	interface Stock {

		@GetExchange("/{id}")
		@DistributedLock(name = LOCK, key = "#id", waitTime = "0")
		String take(@PathVariable String id);

		@GetExchange("/bills")
		@LeaderOnly(value = "billing", onContention = ContentionPolicy.FAIL)
		String bill();

	}

	@Aspect
	static class AsyncAspect {

		@Async
		@DistributedLock(LOCK)
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportHttpServices(types = Stock.class)
	static class HttpClients {

		/** Answers with the last part of the path. */
		@Bean
		RestClientHttpServiceGroupConfigurer echo() {
			return (groups) -> groups
				.forEachClient((group, builder) -> builder.baseUrl("http://stock").requestFactory((uri, method) -> {
					MockClientHttpResponse response = new MockClientHttpResponse(
							uri.getPath().substring(1).getBytes(StandardCharsets.UTF_8), HttpStatus.OK);
					response.getHeaders().setContentType(MediaType.TEXT_PLAIN);
					MockClientHttpRequest request = new MockClientHttpRequest(method, uri);
					request.setResponse(response);
					return request;
				}));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Early {

		@Bean
		static EarlyProcessor asker(Stock stock) {
			return new EarlyProcessor();
		}

		@Bean
		static Stock stock() {
			return proxy();
		}

	}

	static class EarlyProcessor implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return 0;
		}

	}

	/**
	 * Spring makes no proxy of an aspect for its advisors, and one for {@code @Async}.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	static class OnlyAsync {

		@Bean
		static AsyncAspect aspect() {
			return new AsyncAspect();
		}

	}

}

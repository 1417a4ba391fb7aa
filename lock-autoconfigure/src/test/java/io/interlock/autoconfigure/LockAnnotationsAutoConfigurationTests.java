package io.interlock.autoconfigure;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.ReadLock;
import io.interlock.interceptor.JobRuns;
import io.interlock.interceptor.LockAdvisor;
import io.interlock.interceptor.LockOverrides;
import io.interlock.interceptor.RecordingLockOperations;
import io.interlock.interceptor.UnproxiedBeans;
import io.interlock.template.LockContext;
import io.interlock.template.LockOperations;
import org.aspectj.weaver.Advice;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.aspectj.annotation.AnnotationAwareAspectJAutoProxyCreator;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AbstractAutoProxyCreator;
import org.springframework.aop.framework.autoproxy.InfrastructureAdvisorAutoProxyCreator;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockAnnotationsAutoConfiguration}.
 */
class LockAnnotationsAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAnnotationsAutoConfiguration.class, AopAutoConfiguration.class))
		.withUserConfiguration(OperationsConfiguration.class);

	private final ApplicationContextRunner ordersRunner = this.contextRunner.withBean(Orders.class, OrdersImpl::new);

	@Test
	void isListed() {
		assertThat(ImportCandidates.load(AutoConfiguration.class, null))
			.contains(LockAnnotationsAutoConfiguration.class.getName());
	}

	@Test
	void hasNoPublicMembers() {
		assertThat(LockAnnotationsAutoConfiguration.class.getDeclaredMethods())
			.noneMatch((method) -> Modifier.isPublic(method.getModifiers()));
		assertThat(LockAnnotationsAutoConfiguration.class).isFinal();
	}

	@Test
	void suppliesBeans() {
		this.contextRunner
			.run((context) -> assertThat(context).hasSingleBean(LockOverrides.class).hasSingleBean(LockAdvisor.class));
	}

	@Test
	void beansAreInfrastructure() {
		this.contextRunner.run((context) -> {
			for (Class<?> type : List.of(LockOverrides.class, LockAdvisor.class)) {
				String name = context.getBeanNamesForType(type)[0];
				assertThat(context.getBeanFactory().getBeanDefinition(name).getRole())
					.isEqualTo(BeanDefinition.ROLE_INFRASTRUCTURE);
			}
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "interlock.enabled", "interlock.annotations.enabled" })
	void canBeDisabled(String property) {
		this.ordersRunner.withPropertyValues(property + "=false").run((context) -> {
			assertThat(context).doesNotHaveBean(JobRuns.class).doesNotHaveBean(UnproxiedBeans.class);
			ship(context);
			assertThat(locks(context).requests()).isEmpty();
			assertThat(context.getBean(Orders.class).report("A-1")).isEqualTo("A-1");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "interlock.enabled", "interlock.annotations.enabled", "interlock.locks.orders.enabled" })
	void disabledLockHasAHandle(String property) {
		this.ordersRunner.withPropertyValues(property + "=false").run((context) -> {
			ship(context);
			OrdersImpl orders = (OrdersImpl) AopProxyUtils.getSingletonTarget(context.getBean(Orders.class));
			assertThat(orders).isNotNull();
			assertThat(orders.lock).extracting((lock) -> lock.id().key()).isEqualTo("A-1");
			assertThat(locks(context).requests()).isEmpty();
		});
	}

	@Test
	void backsOffForOwnAdvisor() {
		LockAdvisor own = new LockAdvisor(new MockEnvironment(), (name) -> LockOverrides.Change.NONE, null, () -> {
			throw new AssertionError("Must not be called");
		}) {

			@Override
			public boolean matches(Method method, Class<?> targetClass) {
				return false;
			}

		};
		this.ordersRunner.withBean(LockAdvisor.class, () -> own).run((context) -> {
			assertThat(context).getBean(LockAdvisor.class).isSameAs(own);
			ship(context);
			assertThat(locks(context).requests()).isEmpty();
		});
	}

	@Test
	void childContextHasItsOwnAdviceInPlaceOfThatOfItsParent() {
		this.contextRunner.run((parent) -> this.contextRunner.withParent(parent)
			.run((child) -> assertThat(
					BeanFactoryUtils.beansOfTypeIncludingAncestors(child, LockAdvisor.class).values())
				.singleElement()
				.isNotSameAs(parent.getBean(LockAdvisor.class))));
	}

	@Test
	void orderIsOutsideOfTheLowestPrecedence() {
		this.contextRunner
			.run((context) -> assertThat(context.getBean(LockAdvisor.class).getOrder()).isEqualTo(2147483547));
	}

	@Test
	void orderCanBeChanged() {
		this.contextRunner.withPropertyValues("interlock.annotations.order=42")
			.run((context) -> assertThat(context.getBean(LockAdvisor.class).getOrder()).isEqualTo(42));
	}

	@Test
	void locksAnnotatedMethod() {
		this.ordersRunner.run((context) -> {
			ship(context);
			assertThat(locks(context).requests()).containsExactly(LockRequest.exclusive("orders").withKey("A-1"));
		});
	}

	@Test
	void proxiesClassesByDefault() {
		this.ordersRunner.run((context) -> assertThat(AopUtils.isCglibProxy(context.getBean(Orders.class))).isTrue());
	}

	@Test
	void proxiesClassesWithoutAopAutoConfiguration() {
		this.ordersRunner.withPropertyValues("spring.aop.auto=false").run((context) -> {
			assertThat(context).hasSingleBean(AbstractAutoProxyCreator.class);
			assertThat(AopUtils.isCglibProxy(context.getBean(Orders.class))).isTrue();
			ship(context);
			assertThat(locks(context).requests()).hasSize(1);
		});
	}

	@Test
	void proxiesInterfacesOnDemand() {
		this.ordersRunner.withPropertyValues("spring.aop.proxy-target-class=false").run((context) -> {
			assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Orders.class))).isTrue();
			ship(context);
			assertThat(locks(context).requests()).hasSize(1);
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void locksWithoutAspectJ(boolean proxyTargetClass) {
		this.ordersRunner.withClassLoader(new FilteredClassLoader(Advice.class))
			.withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
			.run((context) -> {
				assertThat(context).getBean(AbstractAutoProxyCreator.class)
					.isExactlyInstanceOf(InfrastructureAdvisorAutoProxyCreator.class);
				assertThat(AopUtils.isCglibProxy(context.getBean(Orders.class))).isEqualTo(proxyTargetClass);
				ship(context);
				assertThat(locks(context).requests()).hasSize(1);
			});
	}

	@Test
	void sharesProxyCreatorAndProxyWithAspectJ() {
		this.ordersRunner.run((context) -> {
			assertThat(context).hasSingleBean(AbstractAutoProxyCreator.class);
			assertThat(context).hasSingleBean(AnnotationAwareAspectJAutoProxyCreator.class);
			Advised advised = (Advised) context.getBean(Orders.class);
			assertThat(advised.getAdvisors()).filteredOn(LockAdvisor.class::isInstance).hasSize(1);
			assertThat(AopUtils.isAopProxy(advised.getTargetSource().getTarget())).isFalse();
		});
	}

	@Test
	void locksProxyThatAFactoryMade() {
		this.contextRunner.withBean(Orders.class,
				() -> (Orders) Proxy.newProxyInstance(Orders.class.getClassLoader(), new Class<?>[] { Orders.class },
						(proxy, method, args) -> (method.getReturnType() == int.class) ? 1 : ""))
			.run((context) -> {
				context.getBean(Orders.class).report("A-1");
				assertThat(locks(context).requests()).containsExactly(LockRequest.shared("reports").withKey("A-1"));
			});
	}

	@Test
	void keySeesBeans() {
		this.contextRunner.withBean(BeanKey.class).withBean("tenants", Tenants.class).run((context) -> {
			context.getBean(BeanKey.class).run();
			assertThat(locks(context).lastRequest().id().key()).isEqualTo("north");
		});
	}

	@Test
	void resolvesPlaceholders() {
		this.contextRunner.withBean(Placeholder.class).withPropertyValues("app.lock=billing").run((context) -> {
			context.getBean(Placeholder.class).run();
			assertThat(locks(context).lastRequest().id().name()).isEqualTo("billing");
		});
	}

	@Test
	void appliesOverrides() {
		this.contextRunner.withBean(Skippable.class)
			.withBean(LockOverrides.class, () -> (name) -> new LockOverrides.Change(ContentionPolicy.SKIP, null, true))
			.run((context) -> {
				locks(context).contended();
				assertThat(context.getBean(Skippable.class).run()).isEmpty();
			});
	}

	@Test
	void appliesDisabledOverride() {
		this.ordersRunner.withBean(LockOverrides.class, () -> (name) -> new LockOverrides.Change(null, null, false))
			.run((context) -> {
				ship(context);
				assertThat(locks(context).requests()).isEmpty();
			});
	}

	@Test
	void advisorDoesNotCreateLockOperations() {
		AtomicInteger created = new AtomicInteger();
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAnnotationsAutoConfiguration.class))
			.withBean(Orders.class, OrdersImpl::new)
			.withBean(LockOperations.class, () -> {
				created.incrementAndGet();
				return new RecordingLockOperations();
			}, (definition) -> definition.setLazyInit(true))
			.run((context) -> {
				assertThat(AopUtils.isAopProxy(context.getBean(Orders.class))).isTrue();
				assertThat(created).hasValue(0);
				ship(context);
				assertThat(created).hasValue(1);
			});
	}

	@Test
	void annotatedMethodNeverRunsUnlockedForLackOfLockOperations() {
		OrdersImpl target = new OrdersImpl();
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAnnotationsAutoConfiguration.class))
			.withBean(Orders.class, () -> target)
			.run((context) -> {
				assertThatExceptionOfType(NoSuchBeanDefinitionException.class).isThrownBy(() -> ship(context))
					.withMessageContaining(LockOperations.class.getName());
				assertThat(target.shipped).isZero();
			});
	}

	private static void ship(AssertableApplicationContext context) {
		context.getBean(Orders.class).ship("A-1");
	}

	private static RecordingLockOperations locks(AssertableApplicationContext context) {
		return context.getBean(RecordingLockOperations.class);
	}

	@Configuration(proxyBeanMethods = false)
	static class OperationsConfiguration {

		@Bean
		RecordingLockOperations lockOperations() {
			return new RecordingLockOperations();
		}

	}

	public interface Orders {

		void ship(String sku);

		@ReadLock(name = "reports", key = "#sku")
		String report(String sku);

	}

	public static class OrdersImpl implements Orders {

		private int shipped;

		private @Nullable LockHandle lock;

		@Override
		@DistributedLock(name = "orders", key = "#sku")
		public void ship(String sku) {
			this.shipped++;
			this.lock = LockContext.held().isEmpty() ? null : LockContext.current();
		}

		@Override
		public String report(String sku) {
			return sku;
		}

	}

	static class BeanKey {

		@DistributedLock(name = "orders", key = "@tenants.current")
		public void run() {
		}

	}

	public static class Tenants {

		public String getCurrent() {
			return "north";
		}

	}

	static class Placeholder {

		@DistributedLock("${app.lock}")
		public void run() {
		}

	}

	static class Skippable {

		@DistributedLock("orders")
		public Optional<String> run() {
			return Optional.of("ran");
		}

	}

}

package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.util.stream.Stream;

import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.DistributedSemaphore;
import io.interlock.annotation.LeaderOnly;
import io.interlock.annotation.ReadLock;
import io.interlock.annotation.WriteLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockRuntimeHints} and {@link LockRuntimeHints}.
 */
class LockRuntimeHintsTests {

	private final RuntimeHints hints = new RuntimeHints();

	@Test
	void areRegistered() {
		assertThat(AotServices.factories().load(RuntimeHintsRegistrar.class))
			.hasAtLeastOneElementOfType(LockRuntimeHints.class);
		assertThat(AotServices.factories().load(BeanRegistrationAotProcessor.class))
			.hasAtLeastOneElementOfType(LockRuntimeHints.class);
	}

	static Stream<Class<?>> constantsOfAttributesAreAccessible() {
		return Stream
			.of(DistributedLock.class, DistributedSemaphore.class, ReadLock.class, WriteLock.class, LeaderOnly.class)
			.flatMap((annotation) -> Stream.of(annotation.getDeclaredMethods()))
			.<Class<?>>map(Method::getReturnType)
			.filter(Class::isEnum)
			.distinct();
	}

	@ParameterizedTest
	@MethodSource
	void constantsOfAttributesAreAccessible(Class<?> type) {
		new LockRuntimeHints().registerHints(this.hints, getClass().getClassLoader());
		assertThat(RuntimeHintsPredicates.reflection()
			.onType(type)
			.withMemberCategory(MemberCategory.ACCESS_DECLARED_FIELDS)).accepts(this.hints);
	}

	@ParameterizedTest
	@ValueSource(strings = { "method", "methodName", "args", "target", "targetClass" })
	void rootOfKeysIsReadable(String method) throws Exception {
		new LockRuntimeHints().registerHints(this.hints, getClass().getClassLoader());
		assertThat(
				RuntimeHintsPredicates.reflection().onMethodInvocation(LockKeyExpression.Root.class.getMethod(method)))
			.accepts(this.hints);
	}

	@Test
	void waitTimeIsBindable() throws Exception {
		new LockRuntimeHints().registerHints(this.hints, getClass().getClassLoader());
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(WaitTime.class.getMethod("of", String.class)))
			.accepts(this.hints);
	}

	@Test
	void lockedMethodsOfBeanAreInvocable() throws Exception {
		RuntimeHints hints = process(OrdersImpl.class);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Orders.class.getMethod("ship", Order.class)))
			.accepts(hints);
		assertThat(
				RuntimeHintsPredicates.reflection().onMethodInvocation(OrdersImpl.class.getMethod("ship", Order.class)))
			.accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(OrdersImpl.class.getMethod("unlocked")))
			.rejects(hints);
	}

	@Test
	void fallbacksOfLockedMethodsAreInvocable() throws Exception {
		RuntimeHints hints = process(Stock.class);
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation(Stock.class.getDeclaredMethod("later", String.class))).accepts(hints);
	}

	@Test
	void propertiesThatKeysReadAreAccessible() throws Exception {
		RuntimeHints hints = process(OrdersImpl.class);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Order.class.getMethod("customer")))
			.accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Customer.class.getMethod("name")))
			.accepts(hints);
	}

	@Test
	void otherBeansNeedNothing() {
		assertThat(contribution(LockRuntimeHintsTests.class)).isNull();
	}

	private static RuntimeHints process(Class<?> beanClass) {
		BeanRegistrationAotContribution contribution = contribution(beanClass);
		assertThat(contribution).isNotNull();
		RuntimeHints hints = new RuntimeHints();
		GenerationContext context = mock(GenerationContext.class);
		given(context.getRuntimeHints()).willReturn(hints);
		contribution.applyTo(context, mock(BeanRegistrationCode.class));
		return hints;
	}

	private static @Nullable BeanRegistrationAotContribution contribution(Class<?> beanClass) {
		DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
		beanFactory.registerBeanDefinition("bean", new RootBeanDefinition(beanClass));
		return new LockRuntimeHints().processAheadOfTime(RegisteredBean.of(beanFactory, "bean"));
	}

	static class Stock {

		@DistributedLock(name = "stock", fallback = "later")
		public void reserve(String sku) {
		}

		private void later(String sku) {
		}

	}

	record Customer(String name) {

	}

	record Order(Customer customer) {

	}

	interface Orders {

		@DistributedLock(name = "orders", key = "#order.customer.name")
		void ship(Order order);

	}

	static class OrdersImpl implements Orders {

		@Override
		public void ship(Order order) {
		}

		public void unlocked() {
		}

	}

}

package io.interlock.interceptor;

import java.lang.reflect.Method;

import io.interlock.benchmark.contestant.AnnotatedMethods;
import org.aopalliance.intercept.MethodInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.Assert;

/**
 * Calls of annotated methods as the interceptor sees them.
 *
 * @since 0.1.0
 */
@State(Scope.Benchmark)
public class AnnotatedCalls {

	private final AnnotationLockDefinitionSource source = new AnnotationLockDefinitionSource(new StandardEnvironment(),
			(name) -> LockOverrides.Change.NONE, new DefaultListableBeanFactory());

	private final MethodInvocation byArgument = call(String.class, "a");

	private final MethodInvocation byProperty = call(AnnotatedMethods.Order.class, new AnnotatedMethods.Order("a"));

	private static MethodInvocation call(Class<?> type, Object argument) {
		try {
			Method method = AnnotatedMethods.class.getMethod("exclusively", type, Runnable.class);
			Runnable body = () -> {
			};
			return new Call(method, new AnnotatedMethods(), new Object[] { argument, body });
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * {@return the key that is the argument of a call}
	 */
	public String keyOfArgument() {
		return key(this.byArgument);
	}

	/**
	 * {@return the key that is a property of the argument of a call}
	 */
	public String keyOfProperty() {
		return key(this.byProperty);
	}

	private String key(MethodInvocation call) {
		LockDefinition definition = this.source.getLockDefinition(call.getMethod(), AnnotatedMethods.class);
		Assert.state(definition != null, "No definition");
		LockKeyExpression key = definition.key();
		Assert.state(key != null, "No key");
		return key.evaluate(call);
	}

}

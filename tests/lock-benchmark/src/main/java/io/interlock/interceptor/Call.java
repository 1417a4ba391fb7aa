package io.interlock.interceptor;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A call that goes nowhere.
 *
 * @param method what is called
 * @param target on which object
 * @param arguments with what
 */
record Call(Method method, Object target, @Nullable Object[] arguments) implements MethodInvocation {

	@Override
	public Method getMethod() {
		return this.method;
	}

	@Override
	public @Nullable Object[] getArguments() {
		return this.arguments;
	}

	@Override
	public @Nullable Object proceed() {
		return null;
	}

	@Override
	public Object getThis() {
		return this.target;
	}

	@Override
	public AccessibleObject getStaticPart() {
		return this.method;
	}

}

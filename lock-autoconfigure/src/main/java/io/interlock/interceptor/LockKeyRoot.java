package io.interlock.interceptor;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;

/**
 * What key expressions see as {@code #root}.
 */
final class LockKeyRoot {

	private final Method method;

	private final @Nullable Object @Nullable [] args;

	private final @Nullable Object target;

	LockKeyRoot(Method method, @Nullable Object @Nullable [] args, @Nullable Object target) {
		this.method = method;
		this.args = args;
		this.target = target;
	}

	public Method getMethod() {
		return this.method;
	}

	public String getMethodName() {
		return this.method.getName();
	}

	public @Nullable Object @Nullable [] getArgs() {
		return this.args;
	}

	public @Nullable Object getTarget() {
		return this.target;
	}

	public Class<?> getTargetClass() {
		return (this.target != null) ? AopProxyUtils.ultimateTargetClass(this.target) : this.method.getDeclaringClass();
	}

}

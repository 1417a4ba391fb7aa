package io.interlock.interceptor;

import org.aopalliance.aop.Advice;

import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.core.Ordered;

/**
 * Puts the {@link LockInterceptor} around the methods that have a lock.
 *
 * @since 0.1.0
 */
public class LockAdvisor extends AbstractPointcutAdvisor {

	/**
	 * Outside everything that has the lowest precedence, such as transactions and caches:
	 * a lock is taken before and released after them.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

	private final transient Pointcut pointcut;

	private final transient Advice advice;

	/**
	 * Create an advisor with the {@link #DEFAULT_ORDER}.
	 * @param source tells which methods have a lock
	 * @param advice what to do about it
	 */
	public LockAdvisor(LockDefinitionSource source, Advice advice) {
		this.pointcut = new LockDefinitionPointcut(source);
		this.advice = advice;
		setOrder(DEFAULT_ORDER);
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.advice;
	}

}

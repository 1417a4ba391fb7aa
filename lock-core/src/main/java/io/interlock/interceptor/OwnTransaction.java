package io.interlock.interceptor;

import java.util.Arrays;

import io.interlock.LockRequest;
import io.interlock.ReleasePolicy;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Recognizes methods that do not take part in the open transaction of their caller, which
 * must not keep their lock then:
 * <ol>
 * <li>Find the transaction interceptor that comes after the lock in the proxy. Without
 * one, the method takes part.
 * <li>Take what this interceptor knows of the method: {@code REQUIRES_NEW} does not take
 * part.
 * <li>Ask the transaction manager of the method whether it has an open transaction.
 * {@code NOT_SUPPORTED} suspends that one; {@code REQUIRED} and {@code NESTED} begin
 * their own without one.
 * </ol>
 * Invariant: whatever is not certain takes part. Only the nested type needs Spring's
 * transactions on the class path.
 */
final class OwnTransaction {

	private static final boolean TRANSACTIONS_PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.interceptor.TransactionInterceptor",
			OwnTransaction.class.getClassLoader());

	private final Advice lock;

	private final @Nullable BeanFactory beanFactory;

	OwnTransaction(Advice lock, @Nullable BeanFactory beanFactory) {
		this.lock = lock;
		this.beanFactory = beanFactory;
	}

	/** Release after the method what its own transaction, if any, has ended by then. */
	LockRequest released(LockRequest request, MethodInvocation invocation) {
		return (TRANSACTIONS_PRESENT && request.release() == ReleasePolicy.AFTER_TRANSACTION
				&& Transactions.takesNoPart(invocation, this.lock, this.beanFactory))
						? request.withRelease(ReleasePolicy.AFTER_METHOD) : request;
	}

	private static final class Transactions {

		static boolean takesNoPart(MethodInvocation invocation, Advice lock, @Nullable BeanFactory beanFactory) {
			if (!TransactionSynchronizationManager.isActualTransactionActive()
					|| !(invocation instanceof ProxyMethodInvocation call)
					|| !(call.getProxy() instanceof Advised proxy) || call.getThis() == null) {
				return false;
			}
			Class<?> type = AopUtils.getTargetClass(call.getThis());
			return Arrays.stream(proxy.getAdvisors())
				.dropWhile((advisor) -> advisor.getAdvice() != lock)
				.filter((advisor) -> matches(advisor, invocation, type))
				.map(Advisor::getAdvice)
				.filter(TransactionInterceptor.class::isInstance)
				.map(TransactionInterceptor.class::cast)
				.findFirst()
				.map((interceptor) -> takesNoPart(interceptor, invocation, type, beanFactory))
				.orElse(false);
		}

		private static boolean matches(Advisor advisor, MethodInvocation invocation, Class<?> type) {
			return !(advisor instanceof PointcutAdvisor pointcut)
					|| pointcut.getPointcut().getMethodMatcher().matches(invocation.getMethod(), type);
		}

		private static boolean takesNoPart(TransactionInterceptor interceptor, MethodInvocation invocation,
				Class<?> type, @Nullable BeanFactory beanFactory) {
			TransactionAttributeSource source = interceptor.getTransactionAttributeSource();
			TransactionAttribute attribute = (source != null)
					? source.getTransactionAttribute(invocation.getMethod(), type) : null;
			if (attribute == null) {
				return false;
			}
			return switch (attribute.getPropagationBehavior()) {
				case TransactionDefinition.PROPAGATION_REQUIRES_NEW -> true;
				case TransactionDefinition.PROPAGATION_NOT_SUPPORTED ->
					isOpen(manager(interceptor, attribute, type, beanFactory), false);
				case TransactionDefinition.PROPAGATION_REQUIRED, TransactionDefinition.PROPAGATION_NESTED ->
					!isOpen(manager(interceptor, attribute, type, beanFactory), true);
				default -> false;
			};
		}

		/** A transaction that only supports others changes nothing, and ends unasked. */
		private static boolean isOpen(@Nullable TransactionManager manager, boolean unknown) {
			if (!(manager instanceof PlatformTransactionManager platform)
					|| !TransactionSynchronizationManager.isSynchronizationActive()) {
				return unknown;
			}
			DefaultTransactionDefinition look = new DefaultTransactionDefinition(
					TransactionDefinition.PROPAGATION_SUPPORTS);
			look.setReadOnly(true);
			try {
				return platform.getTransaction(look).hasTransaction();
			}
			catch (TransactionException ex) {
				return unknown;
			}
		}

		/** Return the manager that the interceptor uses, {@code null} if in doubt. */
		private static @Nullable TransactionManager manager(TransactionInterceptor interceptor,
				TransactionAttribute attribute, Class<?> type, @Nullable BeanFactory beanFactory) {
			if (beanFactory == null) {
				return interceptor.getTransactionManager();
			}
			String qualifier = StringUtils.hasText(attribute.getQualifier()) ? attribute.getQualifier()
					: BeanFactoryAnnotationUtils.getQualifierValue(type);
			try {
				if (StringUtils.hasText(qualifier)) {
					return BeanFactoryAnnotationUtils.qualifiedBeanOfType(beanFactory, TransactionManager.class,
							qualifier);
				}
				TransactionManager manager = interceptor.getTransactionManager();
				return (manager != null) ? manager : beanFactory.getBean(TransactionManager.class);
			}
			catch (BeansException ex) {
				return null;
			}
		}

	}

}

package io.interlock.autoconfigure.web;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContext;
import org.springframework.util.Assert;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

/**
 * Logs at start-up which advice precedes {@link LockExceptionAdvice} because it takes
 * exceptions of every kind. One that names exceptions about locks is meant to.
 */
class HiddenAnswers implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(HiddenAnswers.class);

	private final ApplicationContext context;

	HiddenAnswers(ApplicationContext context) {
		this.context = context;
	}

	@Override
	public void afterSingletonsInstantiated() {
		List<String> catchAlls = new ArrayList<>();
		for (ControllerAdviceBean advice : ControllerAdviceBean.findAnnotatedBeans(this.context)) {
			Class<?> type = advice.getBeanType();
			Assert.state(type != null, () -> "No type of " + advice);
			if (type == LockExceptionAdvice.class) {
				break;
			}
			if (catchesAll(type)) {
				catchAlls.add(type.getName());
			}
		}
		if (!catchAlls.isEmpty()) {
			logger.info(("Exceptions about locks are not answered by Interlock, because an advice of the application"
					+ " handles all exceptions: %s. To have them answered as problem details, set interlock.web.order"
					+ " to a lower value than the order of that advice. If the advice is meant to answer them, have it"
					+ " handle LockException, or set interlock.web.enabled=false.")
				.formatted(String.join(", ", catchAlls)));
		}
	}

	private static boolean catchesAll(Class<?> advice) {
		ExceptionHandlerMethodResolver handlers = new ExceptionHandlerMethodResolver(advice);
		Method catchAll = handlers.resolveMethodByExceptionType(RuntimeException.class);
		return catchAll != null && LockExceptionAdvice.ANSWERED.stream()
			.anyMatch((type) -> catchAll.equals(handlers.resolveMethodByExceptionType(type)));
	}

}

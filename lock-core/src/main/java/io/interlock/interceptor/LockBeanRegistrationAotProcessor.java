package io.interlock.interceptor;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Registers the locked methods of beans and their fallbacks for reflection, and the types
 * of their parameters where a key may read their properties.
 */
class LockBeanRegistrationAotProcessor implements BeanRegistrationAotProcessor {

	private final BindingReflectionHintsRegistrar properties = new BindingReflectionHintsRegistrar();

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean registeredBean) {
		Class<?> beanClass = ClassUtils.getUserClass(registeredBean.getBeanClass());
		if (!LockAnnotation.isPresent(beanClass)) {
			return null;
		}
		return (generationContext, code) -> registerMethods(beanClass,
				generationContext.getRuntimeHints().reflection());
	}

	private void registerMethods(Class<?> beanClass, ReflectionHints hints) {
		for (Class<?> type : LockAnnotation.hierarchy(beanClass)) {
			for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
				LockAnnotation annotation = ClassUtils.isUserLevelMethod(method)
						? LockAnnotation.find(method, beanClass) : null;
				if (annotation != null) {
					hints.registerMethod(method, ExecutableMode.INVOKE);
					String fallback = annotation.attributes().getString("fallback").trim();
					FallbackMethods.named(fallback, beanClass)
						.forEach((each) -> hints.registerMethod(each, ExecutableMode.INVOKE));
					if (!annotation.attributes().getString("key").isEmpty()) {
						this.properties.registerReflectionHints(hints, method.getGenericParameterTypes());
					}
				}
			}
		}
	}

}

package io.interlock.interceptor;

import io.interlock.LockMode;
import io.interlock.LossPolicy;
import io.interlock.ReleasePolicy;
import io.interlock.annotation.ContentionPolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.util.ClassUtils;

/** Hints for annotations, keys, and the locked methods of each bean. */
class LockRuntimeHints implements RuntimeHintsRegistrar, BeanRegistrationAotProcessor {

	private final BindingReflectionHintsRegistrar properties = new BindingReflectionHintsRegistrar();

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection()
			.registerType(LockMode.class, MemberCategory.ACCESS_DECLARED_FIELDS)
			.registerType(LossPolicy.class, MemberCategory.ACCESS_DECLARED_FIELDS)
			.registerType(ReleasePolicy.class, MemberCategory.ACCESS_DECLARED_FIELDS)
			.registerType(ContentionPolicy.class, MemberCategory.ACCESS_DECLARED_FIELDS)
			.registerType(LockKeyExpression.Root.class, MemberCategory.INVOKE_PUBLIC_METHODS)
			.registerType(WaitTime.class, MemberCategory.INVOKE_PUBLIC_METHODS);
	}

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
		LockAnnotation.methods(beanClass).forEach((method) -> {
			LockAnnotation annotation = LockAnnotation.find(method, beanClass);
			if (annotation != null) {
				hints.registerMethod(method, ExecutableMode.INVOKE);
				FallbackMethods.named(annotation.attributes().getString("fallback").trim(), beanClass)
					.forEach((each) -> hints.registerMethod(each, ExecutableMode.INVOKE));
				if (!annotation.attributes().getString("key").isEmpty()) {
					this.properties.registerReflectionHints(hints, method.getGenericParameterTypes());
				}
			}
		});
	}

}

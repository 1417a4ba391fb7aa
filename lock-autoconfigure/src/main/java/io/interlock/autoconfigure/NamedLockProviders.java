package io.interlock.autoconfigure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

import io.interlock.provider.LockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;

/**
 * The providers below {@code interlock.providers}; a bean only if there is one.
 */
final class NamedLockProviders {

	private final List<String> names;

	private final BeanFactory beanFactory;

	NamedLockProviders(List<String> names, BeanFactory beanFactory) {
		this.names = names;
		this.beanFactory = beanFactory;
	}

	/**
	 * Return what a function makes of each of them, without those it makes nothing of.
	 */
	<T> Map<String, T> map(BiFunction<String, LockProvider, @Nullable T> function) {
		Map<String, T> made = new LinkedHashMap<>();
		for (String name : this.names) {
			T one = function.apply(name, this.beanFactory.getBean(name, LockProvider.class));
			if (one != null) {
				made.put(name, one);
			}
		}
		return made;
	}

}

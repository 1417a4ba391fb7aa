package io.interlock.interceptor;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.interlock.LockKeyValue;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.core.convert.converter.Converter;
import org.springframework.util.ClassUtils;

/**
 * Converts what a bean of type {@code Converter<T, LockKeyValue>} is for: {@code T} is
 * the class of the value, the nearest superclass, or an interface. Which bean it is, is
 * looked up once for each class.
 */
final class LockKeyConversions implements Function<Object, @Nullable LockKeyValue> {

	private final BeanFactory beanFactory;

	private final Map<Class<?>, Optional<Converter<Object, LockKeyValue>>> converters = new ConcurrentHashMap<>();

	LockKeyConversions(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Override
	public @Nullable LockKeyValue apply(Object value) {
		Class<?> type = value.getClass();
		// No computeIfAbsent: creating a bean may convert a key.
		Optional<Converter<Object, LockKeyValue>> converter = this.converters.get(type);
		if (converter == null) {
			converter = find(type);
			this.converters.put(type, converter);
		}
		return converter.map((found) -> found.convert(value)).orElse(null);
	}

	private Optional<Converter<Object, LockKeyValue>> find(Class<?> valueType) {
		Set<Class<?>> types = new LinkedHashSet<>();
		for (Class<?> type = valueType; type != null && type != Object.class; type = type.getSuperclass()) {
			types.add(type);
		}
		types.addAll(ClassUtils.getAllInterfacesForClassAsSet(valueType));
		return types.stream().map(this::bean).filter(Objects::nonNull).findFirst();
	}

	private @Nullable Converter<Object, LockKeyValue> bean(Class<?> type) {
		return this.beanFactory
			.<Converter<Object, LockKeyValue>>getBeanProvider(
					ResolvableType.forClassWithGenerics(Converter.class, type, LockKeyValue.class))
			.getIfAvailable();
	}

}

package io.interlock.autoconfigure.store;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.interlock.provider.LockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/**
 * Makes providers of one store that {@code interlock.providers} names. An implementation
 * stands in {@code spring.factories}.
 *
 * @param <P> the properties of the store
 * @since 0.1.0
 */
public interface NamedProvider<P> {

	/**
	 * Return what makes providers of those stores that are on a class path.
	 * @param classLoader loads them
	 * @return one for each store
	 */
	@SuppressWarnings({ "unchecked", "rawtypes" })
	static List<NamedProvider<?>> onClassPath(@Nullable ClassLoader classLoader) {
		List<NamedProvider<?>> stores = (List) SpringFactoriesLoader.forDefaultResourceLocation(classLoader)
			.load(NamedProvider.class, FailureHandler.handleMessage((message, failure) -> {
			}));
		Set<String> absent = StoreChoice.absent(classLoader).keySet();
		return stores.stream()
			.filter((store) -> !absent.contains(store.store().name().toLowerCase(Locale.ROOT)))
			.toList();
	}

	/**
	 * Return the names below {@code interlock.providers}.
	 * @throws IllegalStateException if one of them is no name, with what to write
	 */
	static Set<String> names(Environment environment) {
		return NamedProviderProperties.names(environment);
	}

	/** Return the store. */
	Provider store();

	/** Return the type of the properties of the store. */
	Class<P> properties();

	/**
	 * Make a provider.
	 * @param properties the properties below its name
	 * @param definition what else is known of it
	 * @return the provider
	 */
	LockProvider create(P properties, Definition definition);

	/**
	 * A provider that is to be made.
	 *
	 * @param name its name
	 * @param bean name of the bean that knows the store, or {@code null} if none is named
	 * @param context the application
	 * @param owned takes what is closed after the provider, the last one first
	 */
	record Definition(String name, @Nullable String bean, ApplicationContext context, Consumer<AutoCloseable> owned) {

		/** Prefix of the names of all properties of named providers. */
		public static final String PREFIX = "interlock.providers";

		/** Return the bean that is named, or the only one of its type. */
		public <T> T bean(Class<T> type) {
			List<String> beans = Stream.of(this.context.getBeanNamesForType(type)).sorted().toList();
			String found = (this.bean == null && beans.size() == 1) ? beans.get(0) : this.bean;
			if (found == null || !this.context.containsBean(found) || !this.context.isTypeMatch(found, type)) {
				throw invalid("bean", this.bean, beans.isEmpty()
						? "There is no %s bean. Define one.".formatted(type.getSimpleName())
						: "It must be the name of a %s bean, one of %s.".formatted(type.getSimpleName(), beans));
			}
			return this.context.getBean(found, type);
		}

		/** Return whether a property of this provider is set. */
		public boolean isSet(String property) {
			return Binder.get(this.context.getEnvironment()).bind(nameOf(property), String.class).isBound();
		}

		/** Return the failure of a start with a wrong property of this provider. */
		public InvalidConfigurationPropertyValueException invalid(String property, @Nullable Object value,
				String reason) {
			return new InvalidConfigurationPropertyValueException(nameOf(property), value, reason);
		}

		private String nameOf(String property) {
			return PREFIX + "." + this.name + "." + property;
		}

	}

}

package io.interlock.autoconfigure.store;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.interlock.admin.LockInspector;
import io.interlock.admin.LockRevoker;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.provider.LockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.ApplicationContext;

/**
 * A store that locks may come from: {@code interlock.provider} names it, and so does
 * {@code interlock.providers.<name>.provider}. An implementation stands in
 * {@code META-INF/spring.factories}, has a constructor without arguments, and keeps
 * nothing.
 * <p>
 * If {@link #create} declares the type of provider that it returns, as a {@code @Bean}
 * method does, the default provider has what locks with a lease have: health, a check at
 * the start, operators.
 *
 * @param <P> the properties of the store
 * @since 0.1.0
 */
public interface LockStoreFactory<P> {

	/** Return the name of the store, in lower case. */
	String name();

	/**
	 * Return the type of the properties of the store. It has
	 * {@link ConfigurationProperties @ConfigurationProperties}, whose prefix is
	 * {@code interlock} and the name of the store; named providers have the same
	 * properties below their own names.
	 */
	Class<P> properties();

	/** Return whether a class path has what the store needs, such as its client. */
	default boolean isPresent(@Nullable ClassLoader classLoader) {
		return true;
	}

	/**
	 * Return whether an auto-configuration of the store makes the default provider, of
	 * beans that an application may replace. It is {@link ConditionalOnStore} and comes
	 * before {@code InterlockAutoConfiguration}. By default {@link #create} makes it.
	 */
	default boolean isAutoConfigured() {
		return false;
	}

	/**
	 * Make a provider.
	 * @param properties its properties
	 * @param definition what else is known of it
	 * @return the provider
	 */
	LockProvider create(P properties, Definition definition);

	/**
	 * Return what reads the locks of a provider for operators. Those of a
	 * {@link LeaseLockProvider} are read without it.
	 * @param provider any provider
	 * @param properties its properties, if it is of this store
	 * @return the inspector, or {@code null} if the provider is of another store, or of
	 * one that does not tell its locks, as by default
	 */
	default @Nullable LockInspector inspector(LockProvider provider, Supplier<P> properties) {
		return null;
	}

	/** Return what takes locks away, as {@link #inspector} returns what reads them. */
	default @Nullable LockRevoker revoker(LockProvider provider, Supplier<P> properties) {
		return null;
	}

	/**
	 * A provider that is to be made.
	 *
	 * @param prefix how the names of its properties begin
	 * @param name its name, or {@code null} for the default one
	 * @param bean name of the bean that knows the store, or {@code null} if none is named
	 * @param context the application
	 * @param owned takes what is closed after the provider, the last one first
	 */
	record Definition(String prefix, @Nullable String name, @Nullable String bean, ApplicationContext context,
			Consumer<AutoCloseable> owned) {

		/** Return the bean that is named, or the only one of its type. */
		public <T> T bean(Class<T> type) {
			List<String> beans = Stream.of(this.context.getBeanNamesForType(type)).sorted().toList();
			if (this.name == null && beans.size() > 1) {
				return this.context.getBean(type);
			}
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
			return this.prefix + "." + property;
		}

	}

}

package io.interlock.autoconfigure.store;

import java.util.function.Consumer;

import io.interlock.provider.LockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;

/**
 * Makes providers of one store that {@code interlock.providers} names. An implementation
 * stands in {@code spring.factories}.
 *
 * @param <P> the properties of the store
 * @since 0.1.0
 */
public interface NamedProvider<P> {

	/** Return the store. */
	Provider store();

	/** Return the type of the properties of the store. */
	Class<P> properties();

	/**
	 * Make a provider.
	 * @param properties the properties below its name
	 * @param bean name of the bean that knows the store, or {@code null} if none is named
	 * @param context the application
	 * @param owned takes what is closed after the provider, the last one first
	 * @return the provider
	 */
	LockProvider create(P properties, @Nullable String bean, ApplicationContext context, Consumer<AutoCloseable> owned);

}

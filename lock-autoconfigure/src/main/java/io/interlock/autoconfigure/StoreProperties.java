package io.interlock.autoconfigure;

import io.interlock.autoconfigure.store.LockStoreFactory;
import io.interlock.autoconfigure.store.LockStoreFactory.Definition;
import io.interlock.autoconfigure.store.LockStores;
import io.interlock.provider.LockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.context.ApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;

/** The properties of one provider. Those that nothing is bound to fail the start. */
final class StoreProperties {

	private final String prefix;

	private final Environment environment;

	/** Remembers what was bound. */
	private final BindHandler handler = new NoUnboundElementsBindHandler(
			DurationProperties.requireUnit(BindHandler.DEFAULT), new UnboundElementsSourceFilter());

	StoreProperties(String prefix, Environment environment) {
		this.prefix = prefix;
		this.environment = environment;
	}

	static String prefixOf(LockStoreFactory<?> store) {
		return UnusedProperties.prefixOf(store.properties());
	}

	String prefix() {
		return this.prefix;
	}

	@Nullable String store(LockStores stores) {
		return stores.bind(this.environment, this.prefix + ".provider", this.handler);
	}

	void checkNoOther() {
		bind(NoProperties.class);
	}

	<P> LockProvider create(LockStoreFactory<P> store, @Nullable String name, ApplicationContext context,
			DefaultListableBeanFactory beanFactory) {
		String bean = (name != null) ? Binder.get(this.environment)
			.bind(this.prefix + ".bean", Bindable.of(String.class), this.handler)
			.orElse(null) : null;
		String owner = (name != null) ? name : this.prefix;
		Definition definition = new Definition(this.prefix, name, bean, context,
				// The last that is registered is destroyed first.
				(part) -> beanFactory.registerDisposableBean(owner + "." + part.getClass().getName(), part::close));
		try {
			return store.create(bind(store.properties()), definition);
		}
		catch (BindException | InvalidConfigurationPropertyValueException ex) {
			throw inPlace(ex, ConfigurationPropertyName.of(prefixOf(store)));
		}
	}

	private <P> P bind(Class<P> type) {
		return Binder.get(this.environment).bindOrCreate(this.prefix, Bindable.of(type), this.handler);
	}

	/** The type of the properties knows the prefix of the default provider only. */
	private RuntimeException inPlace(RuntimeException failure, ConfigurationPropertyName group) {
		if (NestedExceptionUtils
			.getMostSpecificCause(failure) instanceof InvalidConfigurationPropertyValueException invalid) {
			ConfigurationPropertyName name = ConfigurationPropertyName.ofIfValid(invalid.getName());
			if (name != null && group.isAncestorOf(name)) {
				return new InvalidConfigurationPropertyValueException(ConfigurationPropertyName.of(this.prefix)
					.append(name.subName(group.getNumberOfElements()))
					.toString(), invalid.getValue(), String.valueOf(invalid.getReason()));
			}
		}
		return failure;
	}

	/** A native image can bind what is known when it is built. */
	static class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			LockStores.of(classLoader)
				.present()
				.forEach((store) -> BindableRuntimeHintsRegistrar.forTypes(store.properties()).registerHints(hints));
		}

	}

	private record NoProperties() {

	}

}

package io.interlock.autoconfigure;

import java.util.List;

import io.interlock.autoconfigure.store.NamedProvider;
import io.interlock.autoconfigure.store.Provider;
import io.interlock.internal.NearestName;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockProvider;
import io.interlock.template.HeldLocks;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Registers a provider for each name below {@code interlock.providers}. None of them is
 * injected by its type alone, so that the default one stays the only candidate.
 */
class NamedProvidersConfiguration implements ImportBeanDefinitionRegistrar {

	private static final Log logger = LogFactory.getLog(NamedProvidersConfiguration.class);

	static final String PREFIX = NamedProvider.Definition.PREFIX;

	private final Environment environment;

	NamedProvidersConfiguration(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
		if (this.environment.getProperty("interlock.enabled", Boolean.class, true)) {
			List<String> names = List.copyOf(NamedProvider.names(this.environment));
			names.forEach((name) -> registry.registerBeanDefinition(name, definition(name)));
			if (!names.isEmpty()) {
				RootBeanDefinition all = new RootBeanDefinition(NamedLockProviders.class);
				all.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
				all.getConstructorArgumentValues().addIndexedArgumentValue(0, names);
				registry.registerBeanDefinition("interlockNamedLockProviders", all);
			}
		}
	}

	private static RootBeanDefinition definition(String name) {
		RootBeanDefinition definition = new RootBeanDefinition(NamedProvidersConfiguration.class);
		definition.setFactoryMethodName("create");
		definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
		definition.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
		definition.setDefaultCandidate(false);
		definition.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
		return definition;
	}

	static LockProvider create(String name, DefaultListableBeanFactory beanFactory, ApplicationContext context,
			InterlockProperties common) {
		String prefix = PREFIX + "." + name;
		NamedProperties properties = new NamedProperties(prefix, context.getEnvironment());
		Provider store = properties.store();
		if (store == null) {
			throw StorelessProvider.failure(name, context);
		}
		if (store == Provider.MEMORY) {
			properties.bind(NoProperties.class);
			logger.warn(
					"Locks of provider '%s' are kept in the memory of this JVM: they exclude nothing in other processes"
						.formatted(name));
			return new InMemoryLockProvider();
		}
		for (NamedProvider<?> each : NamedProvider.onClassPath(context.getClassLoader())) {
			if (each.store() == store) {
				LockProvider provider = create(each, properties,
						new NamedProvider.Definition(name, properties.bean(), context,
								// The last that is registered is destroyed first.
								(part) -> beanFactory.registerDisposableBean(name + "." + part.getClass().getName(),
										part::close)));
				if (provider instanceof LeaseLockProvider leases) {
					LeaseStartupCheck check = new LeaseStartupCheck(leases, name, common.startupTimeout());
					beanFactory.registerDisposableBean(name + ".check", check);
					beanFactory.registerDependentBean(name, name + ".check");
					check.afterPropertiesSet();
					if (context.getEnvironment().getProperty("interlock.admin.enabled", boolean.class, false)) {
						leases.passRequestsOn(context.getBean(HeldLocks.class)::requestRevocation);
					}
				}
				return provider;
			}
		}
		throw new InvalidConfigurationPropertyValueException(prefix + ".provider", store,
				"It must be zookeeper, jdbc, redis or memory, and the module of that store on the class path.");
	}

	private static <P> LockProvider create(NamedProvider<P> store, NamedProperties properties,
			NamedProvider.Definition definition) {
		P bound = properties.bind(store.properties());
		try {
			return store.create(bound, definition);
		}
		catch (InvalidConfigurationPropertyValueException ex) {
			throw new InvalidConfigurationPropertyValueException(
					ex.getName().replaceFirst("^interlock\\.(zookeeper|jdbc|redis)", properties.prefix()),
					ex.getValue(), String.valueOf(ex.getReason()));
		}
	}

	private record NoProperties() {

	}

	/** The properties below one name; all but those that are bound fail the start. */
	private static final class NamedProperties {

		private final String prefix;

		private final Binder binder;

		/** Remembers what was bound. */
		private final BindHandler handler = new NoUnboundElementsBindHandler(
				InterlockAutoConfiguration.interlockDurations().apply(BindHandler.DEFAULT),
				new UnboundElementsSourceFilter());

		private final @Nullable Provider store;

		private final @Nullable String bean;

		NamedProperties(String prefix, Environment environment) {
			this.prefix = prefix;
			this.binder = Binder.get(environment);
			this.store = this.binder.bind(prefix + ".provider", Bindable.of(Provider.class), this.handler).orElse(null);
			this.bean = this.binder.bind(prefix + ".bean", Bindable.of(String.class), this.handler).orElse(null);
		}

		String prefix() {
			return this.prefix;
		}

		@Nullable Provider store() {
			return this.store;
		}

		@Nullable String bean() {
			return this.bean;
		}

		<P> P bind(Class<P> type) {
			return this.binder.bindOrCreate(this.prefix, Bindable.of(type), this.handler);
		}

	}

}

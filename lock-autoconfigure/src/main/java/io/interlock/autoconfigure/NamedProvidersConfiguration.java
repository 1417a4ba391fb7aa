package io.interlock.autoconfigure;

import java.util.Map;
import java.util.function.Consumer;

import io.interlock.autoconfigure.store.NamedProvider;
import io.interlock.autoconfigure.store.Provider;
import io.interlock.health.LeaseStartupCheck;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockProvider;

import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Registers a provider for each name below {@code interlock.providers}. None of them is
 * injected by its type alone, so that the default one stays the only candidate.
 */
class NamedProvidersConfiguration implements ImportBeanDefinitionRegistrar {

	private static final String PREFIX = "interlock.providers";

	private final Environment environment;

	NamedProvidersConfiguration(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
		if (this.environment.getProperty("interlock.enabled", Boolean.class, true)) {
			Binder.get(this.environment)
				.bind(PREFIX, Bindable.mapOf(String.class, Object.class))
				.orElse(Map.of())
				.keySet()
				.forEach((name) -> registry.registerBeanDefinition(name, definition(name)));
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
		Binder binder = Binder.get(context.getEnvironment());
		Provider store = binder.bind(prefix + ".provider", Provider.class).orElse(null);
		if (store == Provider.MEMORY) {
			return new InMemoryLockProvider();
		}
		for (NamedProvider<?> each : SpringFactoriesLoader.forDefaultResourceLocation(context.getClassLoader())
			.load(NamedProvider.class, FailureHandler.handleMessage((message, failure) -> {
			}))) {
			if (each.store() == store) {
				LockProvider provider = create(each, prefix, binder, context,
						// The last that is registered is destroyed first.
						(part) -> beanFactory.registerDisposableBean(name + "." + part.getClass().getName(),
								part::close));
				if (provider instanceof LeaseLockProvider leases) {
					LeaseStartupCheck check = new LeaseStartupCheck(leases, common.startupTimeout());
					beanFactory.registerDisposableBean(name + ".check", check);
					beanFactory.registerDependentBean(name, name + ".check");
					check.afterPropertiesSet();
				}
				return provider;
			}
		}
		throw new InvalidConfigurationPropertyValueException(prefix + ".provider", store,
				"It must be zookeeper, jdbc, redis or memory, and the module of that store on the class path.");
	}

	private static <P> LockProvider create(NamedProvider<P> store, String prefix, Binder binder,
			ApplicationContext context, Consumer<AutoCloseable> owned) {
		BindHandler durations = InterlockAutoConfiguration.interlockDurations().apply(BindHandler.DEFAULT);
		P properties = binder.bindOrCreate(prefix, Bindable.of(store.properties()), durations);
		try {
			return store.create(properties, binder.bind(prefix + ".bean", String.class).orElse(null), context, owned);
		}
		catch (InvalidConfigurationPropertyValueException ex) {
			throw new InvalidConfigurationPropertyValueException(
					ex.getName().replaceFirst("^interlock\\.(zookeeper|jdbc|redis)", prefix), ex.getValue(),
					String.valueOf(ex.getReason()));
		}
	}

}

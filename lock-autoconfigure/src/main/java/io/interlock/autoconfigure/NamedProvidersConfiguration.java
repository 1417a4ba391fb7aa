package io.interlock.autoconfigure;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;

import io.interlock.LockRequest;
import io.interlock.autoconfigure.store.NamedProvider;
import io.interlock.autoconfigure.store.Provider;
import io.interlock.health.LeaseStartupCheck;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockCapabilities;
import io.interlock.provider.LockProvider;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
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

	private static final Log logger = LogFactory.getLog(NamedProvidersConfiguration.class);

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
		definition.setDestroyMethodName("close");
		return definition;
	}

	static OwnedProvider create(String name, ApplicationContext context, InterlockProperties common) {
		String prefix = PREFIX + "." + name;
		Deque<AutoCloseable> owned = new ArrayDeque<>();
		try {
			LockProvider provider = create(prefix, Binder.get(context.getEnvironment()), context, owned);
			if (provider instanceof AutoCloseable closeable) {
				owned.push(closeable);
			}
			if (provider instanceof LeaseLockProvider leases) {
				LeaseStartupCheck check = new LeaseStartupCheck(leases, common.startupTimeout());
				owned.push(check::destroy);
				check.afterPropertiesSet();
			}
			return new OwnedProvider(provider, owned);
		}
		catch (RuntimeException ex) {
			close(owned);
			throw (ex instanceof InvalidConfigurationPropertyValueException invalid)
					? new InvalidConfigurationPropertyValueException(
							invalid.getName().replaceFirst("^interlock\\.(zookeeper|jdbc|redis)", prefix),
							invalid.getValue(), String.valueOf(invalid.getReason()))
					: ex;
		}
	}

	private static LockProvider create(String prefix, Binder binder, ApplicationContext context,
			Deque<AutoCloseable> owned) {
		Provider store = binder.bind(prefix + ".provider", Provider.class).orElse(null);
		if (store == Provider.MEMORY) {
			return new InMemoryLockProvider();
		}
		for (NamedProvider<?> each : SpringFactoriesLoader.forDefaultResourceLocation(context.getClassLoader())
			.load(NamedProvider.class, FailureHandler.handleMessage((message, failure) -> {
			}))) {
			if (each.store() == store) {
				return create(each, prefix, binder, context, owned);
			}
		}
		throw new InvalidConfigurationPropertyValueException(prefix + ".provider", store,
				"It must be zookeeper, jdbc, redis or memory, and the module of that store on the class path.");
	}

	private static <P> LockProvider create(NamedProvider<P> store, String prefix, Binder binder,
			ApplicationContext context, Deque<AutoCloseable> owned) {
		BindHandler durations = InterlockAutoConfiguration.interlockDurations().apply(BindHandler.DEFAULT);
		P properties = binder.bindOrCreate(prefix, Bindable.of(store.properties()), durations);
		return store.create(properties, binder.bind(prefix + ".bean", String.class).orElse(null), context, owned::push);
	}

	private static void close(Deque<AutoCloseable> owned) {
		for (AutoCloseable each : owned) {
			try {
				each.close();
			}
			catch (Exception ex) {
				logger.warn("Part of a lock provider could not be closed", ex);
			}
		}
	}

	/** A provider, and what ends with it, the last one first. */
	record OwnedProvider(LockProvider provider, Deque<AutoCloseable> owned) implements LockProvider, AutoCloseable {

		@Override
		public LockAttempt attempt(LockRequest request, LockCaller caller) {
			return this.provider.attempt(request, caller);
		}

		@Override
		public LockAttempt attemptAtOnce(LockRequest request, LockCaller caller) {
			return this.provider.attemptAtOnce(request, caller);
		}

		@Override
		public LockCapabilities capabilities() {
			return this.provider.capabilities();
		}

		@Override
		public void close() {
			NamedProvidersConfiguration.close(this.owned);
		}

	}

}

package io.interlock.autoconfigure;

import java.lang.reflect.Method;

import io.interlock.autoconfigure.store.LockStoreFactory;
import io.interlock.autoconfigure.store.LockStoreFactory.Definition;
import io.interlock.autoconfigure.store.LockStores;
import io.interlock.autoconfigure.store.StoreChoice;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockProvider;
import io.interlock.template.HeldLocks;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ReflectionUtils;

/**
 * A provider that a store makes: the default one, or one that has a name. Stateless.
 */
final class StoreProvider {

	/** Known to users, who set its level. */
	private static final Log logger = LogFactory.getLog(NamedProvidersConfiguration.class);

	private StoreProvider() {
	}

	/** Conditions ask for the type before the provider is made. */
	static RootBeanDefinition byDefault(LockStoreFactory<?> store) {
		RootBeanDefinition definition = definition("createDefault");
		Method create = ReflectionUtils.findMethod(store.getClass(), "create", store.properties(), Definition.class);
		definition.setTargetType((create != null) ? create.getReturnType() : LockProvider.class);
		return definition;
	}

	static RootBeanDefinition named(String name) {
		RootBeanDefinition definition = definition("createNamed");
		definition.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
		definition.setDefaultCandidate(false);
		return definition;
	}

	private static RootBeanDefinition definition(String factoryMethod) {
		RootBeanDefinition definition = new RootBeanDefinition(StoreProvider.class);
		definition.setFactoryMethodName(factoryMethod);
		definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
		definition.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
		return definition;
	}

	static LockProvider createDefault(DefaultListableBeanFactory beanFactory, ApplicationContext context) {
		LockStoreFactory<?> store = StoreChoice.of(context.getEnvironment(), context.getClassLoader())
			.store()
			.orElseThrow();
		return new StoreProperties(StoreProperties.prefixOf(store), context.getEnvironment()).create(store, null,
				context, beanFactory);
	}

	static LockProvider createNamed(String name, DefaultListableBeanFactory beanFactory, ApplicationContext context,
			InterlockProperties common) {
		LockStores stores = LockStores.of(context.getClassLoader());
		StoreProperties properties = new StoreProperties(LockStores.NAMED + "." + name, context.getEnvironment());
		String store = properties.store(stores);
		if (store == null) {
			throw StorelessProvider.failure(name, context);
		}
		if (store.equals(LockStores.MEMORY)) {
			properties.checkNoOther();
			logger.warn("Locks of provider '%s' are kept in the memory of this JVM: they do not exclude other processes"
				.formatted(name));
			return new InMemoryLockProvider();
		}
		LockStoreFactory<?> factory = stores.find(store)
			.orElseThrow(() -> new InvalidConfigurationPropertyValueException(properties.prefix() + ".provider", store,
					"It must be one of %s, and the module of that store must be on the class path."
						.formatted(String.join(", ", stores.names()))));
		LockProvider provider = properties.create(factory, name, context, beanFactory);
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

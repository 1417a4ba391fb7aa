package io.interlock.autoconfigure;

import java.util.List;

import io.interlock.autoconfigure.store.LockStores;

import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Registers a provider for each name below {@code interlock.providers}. None of them is
 * injected by its type alone, so that the default one stays the only candidate.
 */
class NamedProvidersConfiguration implements ImportBeanDefinitionRegistrar {

	private final Environment environment;

	NamedProvidersConfiguration(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
		if (this.environment.getProperty("interlock.enabled", Boolean.class, true)) {
			List<String> names = List.copyOf(LockStores.namedProviders(this.environment));
			names.forEach((name) -> registry.registerBeanDefinition(name, StoreProvider.named(name)));
			if (!names.isEmpty()) {
				RootBeanDefinition all = new RootBeanDefinition(NamedLockProviders.class);
				all.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
				all.getConstructorArgumentValues().addIndexedArgumentValue(0, names);
				registry.registerBeanDefinition("interlockNamedLockProviders", all);
			}
		}
	}

}

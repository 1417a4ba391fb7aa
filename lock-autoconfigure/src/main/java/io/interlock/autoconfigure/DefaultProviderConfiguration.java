package io.interlock.autoconfigure;

import io.interlock.autoconfigure.store.StoreChoice;
import io.interlock.provider.LockProvider;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** The default provider, of a store that has no auto-configuration. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "interlock.enabled", matchIfMissing = true)
@ConditionalOnMissingBean(LockProvider.class)
@Import(DefaultProviderConfiguration.Registrar.class)
class DefaultProviderConfiguration {

	static class Registrar implements ImportBeanDefinitionRegistrar {

		private final Environment environment;

		private final ClassLoader classLoader;

		Registrar(Environment environment, ClassLoader classLoader) {
			this.environment = environment;
			this.classLoader = classLoader;
		}

		@Override
		public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
			StoreChoice.of(this.environment, this.classLoader)
				.store()
				.filter((store) -> !store.isAutoConfigured())
				.ifPresent((store) -> registry.registerBeanDefinition("interlockLockProvider",
						StoreProvider.byDefault(store)));
		}

	}

}

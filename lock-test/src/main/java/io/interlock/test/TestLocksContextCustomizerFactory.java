package io.interlock.test;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Overrules the properties of an application that would take its locks elsewhere.
 */
final class TestLocksContextCustomizerFactory implements ContextCustomizerFactory {

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> configAttributes) {
		return TestContextAnnotationUtils.hasAnnotation(testClass, AutoConfigureTestLocks.class)
				? new TestLocksContextCustomizer() : null;
	}

	/** A record, because it is part of the key of a cached context. */
	record TestLocksContextCustomizer() implements ContextCustomizer {

		private static final String WARNING = "io.interlock.autoconfigure.ZooKeeperOnlyProperties";

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration mergedConfig) {
			Map<String, Object> properties = Map.of("interlock.enabled", "true", "interlock.provider", "memory");
			context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("AutoConfigureTestLocks", properties));
			context.addBeanFactoryPostProcessor(TestLocksContextCustomizer::removeWarning);
		}

		/** Warns of properties that only the test has put out of effect. */
		private static void removeWarning(ConfigurableListableBeanFactory beanFactory) {
			if (beanFactory instanceof BeanDefinitionRegistry registry && registry.containsBeanDefinition(WARNING)) {
				registry.removeBeanDefinition(WARNING);
			}
		}

	}

}

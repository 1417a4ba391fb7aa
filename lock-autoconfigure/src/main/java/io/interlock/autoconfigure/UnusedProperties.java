package io.interlock.autoconfigure;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.NativeDetector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.env.Environment;

/**
 * The properties of a store that locks do not come from, so that no bean is bound to
 * them. Names that the store does not know fail the start, and values do not: Boot binds
 * the group as it would for the store.
 */
final class UnusedProperties {

	private final Class<?> type;

	UnusedProperties(Class<?> type) {
		this.type = type;
	}

	static String prefixOf(Class<?> type) {
		return Objects.requireNonNull(AnnotationUtils.findAnnotation(type, ConfigurationProperties.class)).prefix();
	}

	/** A native image can bind only what was bound when it was built. */
	boolean isUnused(ListableBeanFactory beanFactory) {
		return !NativeDetector.inNativeImage() && beanFactory.getBeanNamesForType(this.type, false, false).length == 0;
	}

	/**
	 * Fail for a name that is not known.
	 * @throws UnboundConfigurationPropertiesException if there is one
	 */
	void check(Environment environment) {
		Binder.get(environment).bind(prefixOf(this.type), Bindable.of(this.type), new NamesOnly());
	}

	private static final class NamesOnly extends NoUnboundElementsBindHandler {

		NamesOnly() {
			super(BindHandler.DEFAULT, new UnboundElementsSourceFilter());
		}

		/** The name is known if its value is wrong. */
		@Override
		public @Nullable Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
				Exception error) throws Exception {
			if (error instanceof UnboundConfigurationPropertiesException) {
				throw error;
			}
			onSuccess(name, target, context, error);
			return null;
		}

	}

}

package io.interlock.autoconfigure;

import io.interlock.autoconfigure.store.LockStores;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Says what belongs below a group of properties that has a value, which no conversion
 * turns into one. The value stays out of the description: it may be a password.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class GroupValueFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

	private final BeanFactory beanFactory;

	private final Environment environment;

	GroupValueFailureAnalyzer(BeanFactory beanFactory, Environment environment) {
		this.beanFactory = beanFactory;
		this.environment = environment;
	}

	/** The failure of a nested group does not name it. */
	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
		ConfigurationPropertyName bound = cause.getName();
		if (!(this.beanFactory instanceof ConfigurableListableBeanFactory beans)
				|| !KnownProperties.ROOT.isAncestorOf(bound)) {
			return null;
		}
		KnownProperties known = KnownProperties.of(beans).withStores(LockStores.of(beans.getBeanClassLoader()));
		return known.unknownBelow(bound, this.environment)
			.stream()
			.filter((property) -> known.isGroup(property.getName()) && KnownProperties.hasText(property))
			.findFirst()
			.map((group) -> new FailureAnalysis(
					"A value is set on a group of properties:%n%n    Property: %s%n    Origin: %s"
						.formatted(group.getName(), group.getOrigin()),
					known.shapeOf(group.getName()), cause))
			.orElse(null);
	}

}

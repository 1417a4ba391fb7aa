package io.interlock.autoconfigure;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import io.interlock.autoconfigure.store.LockStores;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Names the nearest property for each one below {@code interlock} that does not exist, or
 * what to do instead of setting one that is gone. Values stay out of the description: one
 * of them may be a password.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

	private final BeanFactory beanFactory;

	UnknownPropertyFailureAnalyzer(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
		Set<ConfigurationProperty> unknown = cause.getUnboundProperties();
		if (!(this.beanFactory instanceof ConfigurableListableBeanFactory beans)
				|| !unknown.stream().map(ConfigurationProperty::getName).allMatch(KnownProperties.ROOT::isAncestorOf)) {
			return null;
		}
		KnownProperties known = KnownProperties.of(beans).withStores(LockStores.of(beans.getBeanClassLoader()));
		return new FailureAnalysis("Interlock has no such property:%n%n%s".formatted(lines(unknown)),
				unknown.stream()
					.map((property) -> action(property.getName(), known))
					.collect(Collectors.joining(System.lineSeparator())),
				cause);
	}

	private static String lines(Set<ConfigurationProperty> unknown) {
		return unknown.stream()
			.map((property) -> "    Property: %s%n    Origin: %s%n".formatted(property.getName(), property.getOrigin()))
			.collect(Collectors.joining(System.lineSeparator()));
	}

	private static String action(ConfigurationPropertyName name, KnownProperties known) {
		Optional<String> instead = RemovedProperties.instead(name);
		if (instead.isPresent()) {
			return "%s instead, and remove %s.".formatted(instead.get(), name);
		}
		if (known.isGroup(name)) {
			return known.shapeOf(name);
		}
		String question = known.didYouMean(name);
		return question.isEmpty() ? "Remove %s, or correct its name.".formatted(name)
				: "%s Otherwise remove %s.".formatted(question.strip(), name);
	}

}

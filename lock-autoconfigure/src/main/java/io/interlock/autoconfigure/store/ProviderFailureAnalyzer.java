package io.interlock.autoconfigure.store;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.interlock.internal.NearestName;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Names the nearest store where a property has one that does not exist. */
@Order(Ordered.HIGHEST_PRECEDENCE)
class ProviderFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
		ConfigurationProperty property = cause.getProperty();
		if (property == null || cause.getTarget().getType().resolve() != Provider.class) {
			return null;
		}
		String value = String.valueOf(property.getValue());
		List<String> stores = Stream.of(Provider.values())
			.map((store) -> store.name().toLowerCase(Locale.ROOT))
			.toList();
		String question = NearestName.didYouMean(value.toLowerCase(Locale.ROOT), stores, "%s");
		return new FailureAnalysis(
				"Interlock knows no such store:%n%n    Property: %s%n    Value: \"%s\"%n    Origin: %s"
					.formatted(property.getName(), value, property.getOrigin()),
				(question + " Set %s to one of %s.".formatted(property.getName(), String.join(", ", stores))).strip(),
				cause);
	}

}

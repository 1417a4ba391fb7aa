package io.interlock.autoconfigure;

import java.time.Duration;

import io.interlock.interceptor.WaitTime;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Durations below {@code interlock}. Stateless. */
final class DurationProperties {

	private DurationProperties() {
	}

	/** Refuse durations without a unit: Boot takes them for milliseconds. */
	static BindHandler requireUnit(BindHandler parent) {
		return new AbstractBindHandler(parent) {

			@Override
			public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				if (result instanceof Duration && ConfigurationPropertyName.of("interlock").isAncestorOf(name)) {
					context.getBinder().bind(name, Bindable.of(String.class)).ifBound(WaitTime::requireUnit);
				}
				return super.onSuccess(name, target, context, result);
			}

		};
	}

}

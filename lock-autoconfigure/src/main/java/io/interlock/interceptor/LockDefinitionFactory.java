package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.time.Duration;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.Release;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.PropertyResolver;
import org.springframework.util.StringUtils;

/**
 * Makes the definition of a method from its annotation, and refuses what cannot work.
 */
final class LockDefinitionFactory {

	private final PropertyResolver properties;

	private final LockOverrides overrides;

	private final LockKeyParser keys;

	LockDefinitionFactory(PropertyResolver properties, LockOverrides overrides, LockKeyParser keys) {
		this.properties = properties;
		this.overrides = overrides;
		this.keys = keys;
	}

	LockDefinition create(Method method, LockAnnotation annotation) {
		MergedAnnotation<DistributedLock> attributes = annotation.attributes();
		String location = MethodNames.describe(method);
		String name = name(attributes, location);
		LockOverride override = this.overrides.forName(name);
		ContentionPolicy policy = override.onContention();
		if (policy == null) {
			policy = attributes.getEnum("onContention", ContentionPolicy.class);
			LockMethodRules.checkSkip(method, policy, "'onContention'");
		}
		else {
			LockMethodRules.checkSkip(method, policy,
					"The property 'interlock.locks.%s.on-contention'".formatted(name));
		}
		String key = resolve("key", attributes, location, "");
		return new LockDefinition(method, request(name, attributes, location),
				StringUtils.hasText(key) ? this.keys.parse(key, name, method, annotation.declaration()) : null, policy,
				override.enabled());
	}

	private String name(MergedAnnotation<DistributedLock> attributes, String location) {
		String name = resolve("name", attributes, location, attributes.getString("name"));
		if (!StringUtils.hasText(name)) {
			throw new LockDefinitionException(location, "The name of the lock is empty.",
					"Give the annotation a name, such as @DistributedLock(\"orders\").", null);
		}
		return name;
	}

	private LockRequest request(String name, MergedAnnotation<DistributedLock> attributes, String location) {
		LockMode mode = attributes.getEnum("mode", LockMode.class);
		LockRequest request = (mode == LockMode.SHARED) ? LockRequest.shared(name) : LockRequest.exclusive(name);
		request = request.withOnLoss(attributes.getEnum("onLoss", LossPolicy.class));
		request = request.withRelease(attributes.getEnum("release", Release.class));
		Duration waitTime = duration("waitTime", attributes, location);
		Duration maxHold = duration("maxHold", attributes, location);
		if (maxHold != null && (maxHold.isZero() || maxHold.equals(LockRequest.FOREVER))) {
			throw new LockDefinitionException(location, "The longest time to hold the lock is not a limit.",
					"Write a number and a unit in 'maxHold', such as '30s', or leave it away.", null);
		}
		request = (waitTime != null) ? request.withWaitTime(waitTime) : request;
		return (maxHold != null) ? request.withMaxHold(maxHold) : request;
	}

	private @Nullable Duration duration(String attribute, MergedAnnotation<DistributedLock> attributes,
			String location) {
		String text = resolve(attribute, attributes, location, "").trim();
		if (text.isEmpty()) {
			return null;
		}
		try {
			return WaitTimes.parse(text);
		}
		catch (IllegalArgumentException ex) {
			throw new LockDefinitionException(location, "In '%s': %s".formatted(attribute, ex.getMessage()),
					"Write a number and a unit, such as '500ms' or '5s', '0' to try once, or 'forever'.", ex);
		}
	}

	private String resolve(String attribute, MergedAnnotation<DistributedLock> attributes, String location,
			String withoutProperties) {
		try {
			return this.properties.resolveRequiredPlaceholders(attributes.getString(attribute));
		}
		catch (IllegalArgumentException ex) {
			// Proxies are chosen when the application is built, perhaps without its
			// properties; the application itself asks again when it starts.
			if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
				return withoutProperties;
			}
			throw new LockDefinitionException(location,
					"The placeholder in %s '%s' cannot be resolved (%s).".formatted(attribute,
							attributes.getString(attribute), ex.getMessage()),
					"Define the property, or give it a default as in '${name:default}'.", ex);
		}
	}

}

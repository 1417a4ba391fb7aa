package io.interlock.interceptor;

import java.lang.reflect.Method;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;

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
		String waitTime = resolve("waitTime", attributes, location, "").trim();
		if (waitTime.isEmpty()) {
			return request;
		}
		try {
			return request.withWaitTime(WaitTimes.parse(waitTime));
		}
		catch (IllegalArgumentException ex) {
			throw new LockDefinitionException(location, String.valueOf(ex.getMessage()),
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

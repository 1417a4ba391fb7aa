package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.ReleasePolicy;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.DistributedSemaphore;
import io.interlock.provider.LockCapabilities;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.PropertyResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

/**
 * Reads the lock of each method once, in these steps:
 * <ol>
 * <li>Look the method up in the cache, together with its target class.
 * <li>Find its {@link LockAnnotation}, with the attributes of a composed annotation
 * merged. An annotation on a type counts only for methods that can take it. Without one,
 * cache that the method has no lock.
 * <li>Refuse a method that a proxy cannot lock.
 * <li>Resolve placeholders, apply the overrides of the lock's name, and check each
 * attribute, alone and with the others.
 * <li>Parse the expressions of keys, which are evaluated in each call.
 * <li>Check that the provider, if it is known by now, supports the mode, and cache the
 * definition.
 * </ol>
 * A method that is refused is not cached.
 * <p>
 * Threads share the cache, the warnings that were logged, and the delegates of
 * expressions, all without a lock: two threads that read a method at the same time make
 * equal definitions. The job runs are set at start-up; the capabilities are set later,
 * and checked then for all cached definitions.
 */
class AnnotationLockDefinitionSource {

	private static final Log logger = LogFactory.getLog(AnnotationLockDefinitionSource.class);

	private static final LockOverrides.Change SWITCHED_OFF = new LockOverrides.Change(null, null, false);

	private final Map<MethodClassKey, Optional<LockDefinition>> definitions = new ConcurrentHashMap<>();

	private final DefinitionWarnings warnings;

	private final PropertyResolver properties;

	private final LockOverrides overrides;

	private final StandardEvaluationContext keyDelegates = new StandardEvaluationContext();

	private final StringValueResolver schedules;

	private @Nullable JobRuns runs;

	private boolean switchedOff;

	private volatile Function<LockRequest, LockCapabilities> capabilities = (request) -> LockCapabilities.ALL;

	AnnotationLockDefinitionSource(PropertyResolver properties, LockOverrides overrides,
			@Nullable BeanFactory beanFactory) {
		this.properties = properties;
		this.warnings = new DefinitionWarnings(properties);
		this.overrides = overrides;
		if (beanFactory != null) {
			this.keyDelegates.setBeanResolver(new BeanFactoryResolver(beanFactory));
		}
		this.schedules = (beanFactory instanceof ConfigurableBeanFactory configurable)
				? new EmbeddedValueResolver(configurable) : properties::resolveRequiredPlaceholders;
	}

	boolean isCandidateClass(Class<?> targetClass) {
		return LockAnnotation.isPresent(targetClass);
	}

	@Nullable LockDefinition getLockDefinition(Method method, @Nullable Class<?> targetClass) {
		if (method.getDeclaringClass() == Object.class) {
			return null;
		}
		MethodClassKey key = new MethodClassKey(method, targetClass);
		Optional<LockDefinition> definition = this.definitions.get(key);
		if (definition == null) {
			definition = Optional.ofNullable(findUnlessRefused(method, targetClass));
			definition.ifPresent(this::checkCapabilities);
			this.definitions.put(key, definition);
		}
		return definition.orElse(null);
	}

	void recordIn(JobRuns runs) {
		this.runs = runs;
	}

	void switchOff() {
		this.switchedOff = true;
	}

	void checkCapabilities(Function<LockRequest, LockCapabilities> capabilities) {
		this.capabilities = capabilities;
		this.definitions.values().forEach((found) -> found.ifPresent(this::checkCapabilities));
	}

	private void checkCapabilities(LockDefinition definition) {
		LockMode mode = definition.request().mode();
		LockCapabilities capabilities = definition.enabled() ? capabilities(definition) : LockCapabilities.ALL;
		if (!capabilities.supports(mode)) {
			throw LockMethodRules.refuse(definition.method(),
					"It requests a lock in mode %s, which the provider does not support.".formatted(mode),
					capabilities.remedy(mode));
		}
	}

	private LockCapabilities capabilities(LockDefinition definition) {
		try {
			return this.capabilities.apply(definition.request());
		}
		catch (IllegalArgumentException ex) {
			throw new LockDefinitionException(definition.method(), String.valueOf(ex.getMessage()),
					"Write one of these names in 'provider', or omit it for the default provider.", ex);
		}
		catch (UnsupportedOperationException ex) {
			throw new LockDefinitionException(definition.method(), String.valueOf(ex.getMessage()),
					"Change the settings of the lock, or its annotation.", ex);
		}
	}

	/** What is switched off fails no start: a method that is refused has no lock then. */
	private @Nullable LockDefinition findUnlessRefused(Method method, @Nullable Class<?> targetClass) {
		try {
			return find(method, targetClass);
		}
		catch (LockDefinitionException ex) {
			if (!this.switchedOff) {
				throw ex;
			}
			logger.debug("A method has no lock, because locks are switched off", ex);
			return null;
		}
	}

	private @Nullable LockDefinition find(Method method, @Nullable Class<?> targetClass) {
		if (!ClassUtils.isUserLevelMethod(method)) {
			return null;
		}
		Class<?> userClass = ClassUtils.getUserClass((targetClass != null) ? targetClass : method.getDeclaringClass());
		Method specific = LockAnnotation.mostSpecific(method, userClass);
		LockAnnotation annotation = LockAnnotation.find(specific, userClass);
		if (annotation == null || (!annotation.onMethod() && !LockMethodRules.takesAnnotationOfType(specific))) {
			return null;
		}
		LockMethodRules.check(specific, userClass);
		return definition(specific, annotation, userClass);
	}

	private LockDefinition definition(Method method, LockAnnotation annotation, Class<?> targetClass) {
		MergedAnnotation<DistributedLock> attributes = annotation.attributes();
		String name = name(attributes, method);
		LockKeyExpression.Site site = new LockKeyExpression.Site(name, method, annotation.declaration());
		site.checkName();
		LockOverrides.Change override = this.switchedOff ? SWITCHED_OFF : this.overrides.forName(name);
		ContentionPolicy declared = attributes.getEnum("onContention", ContentionPolicy.class);
		ContentionPolicy policy = (override.onContention() != null) ? override.onContention() : declared;
		LockMethodRules.checkSkip(method, policy, (override.onContention() != null)
				? "The property 'interlock.locks.%s.on-contention' is SKIP".formatted(name) : "'onContention' is SKIP");
		String fallback = attributes.getString("fallback").trim();
		LockMethodRules.checkFallback(method, fallback, declared);
		String text = resolve("key", attributes, method, "");
		LockRequest request = request(name, attributes, method);
		LockDefinition.Schedule schedule = new LockDefinition.Schedule(method, this.schedules, Clock.systemUTC());
		boolean periodic = isPeriodic(attributes, method);
		LockMethodRules.checkPeriod(method, periodic, schedule);
		LockMethodRules.checkRetries(method, targetClass, policy, periodic ? LockRequest.FOREVER : request.minHold());
		LockKeyExpression key = StringUtils.hasText(text) ? new LockKeyExpression(text, site, this.keyDelegates) : null;
		List<LockKeyExpression> keys = keys(key, attributes, site);
		if (!keys.isEmpty()) {
			LockMethodRules.checkKeys(method);
		}
		JobRuns runs = null;
		if (!override.enabled()) {
			if (!this.switchedOff) {
				this.warnings.disabled(name);
			}
		}
		else if (policy == ContentionPolicy.SKIP) {
			this.warnings.skipWaits(method, name, override.waitTime());
			runs = this.runs;
			if (runs != null) {
				runs.add(request.id());
			}
		}
		else if (schedule.isPresent() && !periodic) {
			this.warnings.jobWaits(method, request, override.waitTime());
		}
		return new LockDefinition(method, request, key, keys, policy, override.enabled(),
				fallback.isEmpty() ? null : FallbackMethods.find(method, fallback, targetClass),
				periodic ? schedule::minHold : null, runs, schedule.isPresent());
	}

	private boolean isPeriodic(MergedAnnotation<DistributedLock> attributes, Method method) {
		return resolve("minHold", attributes, method, "").trim().equals(LockDefinition.Schedule.PERIOD);
	}

	private List<LockKeyExpression> keys(@Nullable LockKeyExpression key, MergedAnnotation<DistributedLock> attributes,
			LockKeyExpression.Site site) {
		Method method = site.method();
		List<String> texts = Arrays.stream(attributes.getStringArray("keys"))
			.map((text) -> resolve("keys", text, method, "'none'"))
			.toList();
		if (!texts.isEmpty() && key != null) {
			throw LockMethodRules.refuse(method, "It has both 'key' and 'keys'.",
					"Use 'keys' for several locks, 'key' for one; a key of several parts is a list, as in '{#tenant, #sku}'.");
		}
		if (!texts.stream().allMatch(StringUtils::hasText)) {
			throw LockMethodRules.refuse(method, "One of its 'keys' is empty.",
					"Remove it, or write an expression, such as '#from'.");
		}
		return texts.stream().map((text) -> new LockKeyExpression(text, site, this.keyDelegates)).toList();
	}

	private String name(MergedAnnotation<DistributedLock> attributes, Method method) {
		String name = resolve("name", attributes, method, attributes.getString("name"));
		if (!StringUtils.hasText(name)) {
			throw LockMethodRules.refuse(method, "The name of the lock is empty.",
					"Give the annotation a name, such as @DistributedLock(\"orders\").");
		}
		if (name.length() > LockId.MAX_LENGTH) {
			throw LockMethodRules.refuse(method,
					"The name of the lock has %d characters, more than %d.".formatted(name.length(), LockId.MAX_LENGTH),
					"Give the annotation a short name, and put what varies into 'key'.");
		}
		return name;
	}

	private LockRequest request(String name, MergedAnnotation<DistributedLock> attributes, Method method) {
		LockRequest request = switch (attributes.getEnum("mode", LockMode.class)) {
			case EXCLUSIVE -> LockRequest.exclusive(name);
			case SHARED -> LockRequest.shared(name);
			case PERMIT -> LockRequest.semaphore(name, permits(attributes, method));
		};
		LossPolicy onLoss = attributes.getEnum("onLoss", LossPolicy.class);
		LockMethodRules.checkLoss(method, onLoss);
		request = request.withOnLoss(onLoss).withRelease(attributes.getEnum("release", ReleasePolicy.class));
		Duration waitTime = duration("waitTime", attributes, method);
		Duration maxHold = duration("maxHold", attributes, method);
		if (maxHold != null && (maxHold.isZero() || maxHold.equals(LockRequest.FOREVER))) {
			throw LockMethodRules.refuse(method, "The maximum time to hold the lock is no limit.",
					"Write a number and a unit in 'maxHold', such as '30s', or omit 'maxHold'.");
		}
		Duration minHold = isPeriodic(attributes, method) ? null : duration("minHold", attributes, method);
		if (minHold != null && minHold.compareTo(LockRequest.MAX_MIN_HOLD) > 0) {
			throw LockMethodRules.refuse(method,
					minHold.equals(LockRequest.FOREVER) ? "The minimum time to hold the lock has no end."
							: "The minimum time to hold the lock is longer than %d days."
								.formatted(LockRequest.MAX_MIN_HOLD.toDays()),
					"Write a number and a unit in 'minHold', such as '30s', or omit it.");
		}
		String provider = resolve("provider", attributes, method, "").trim();
		request = provider.isEmpty() ? request : request.withProvider(provider);
		request = (minHold != null) ? request.withMinHold(minHold) : request;
		request = (waitTime != null) ? request.withWaitTime(waitTime) : request;
		return (maxHold != null) ? request.withMaxHold(maxHold) : request;
	}

	private int permits(MergedAnnotation<DistributedLock> attributes, Method method) {
		MergedAnnotation<?> source = attributes.getMetaSource();
		if (source == null || source.getType() != DistributedSemaphore.class) {
			throw LockMethodRules.refuse(method, "The number of permits is missing.",
					"Use @DistributedSemaphore in place of the mode PERMIT.");
		}
		String text = resolve("permits", source, method, "1").trim();
		try {
			int permits = Integer.parseInt(text);
			if (permits > 0 && permits <= LockRequest.MAX_PERMITS) {
				return permits;
			}
		}
		catch (NumberFormatException ex) {
			// Said below.
		}
		throw LockMethodRules.refuse(method, "The number of permits '%s' is not a number above zero.".formatted(text),
				"Write a number such as '3' in 'permits', or a placeholder for one.");
	}

	private @Nullable Duration duration(String attribute, MergedAnnotation<DistributedLock> attributes, Method method) {
		String text = resolve(attribute, attributes, method, "").trim();
		if (text.isEmpty()) {
			return null;
		}
		try {
			return WaitTime.parse(text);
		}
		catch (IllegalArgumentException ex) {
			throw new LockDefinitionException(method, "In '%s': %s".formatted(attribute, ex.getMessage()),
					"Write a number and a unit, such as '500ms' or '5s', '0' to try once, or 'forever'.", ex);
		}
	}

	private String resolve(String attribute, MergedAnnotation<?> attributes, Method method, String withoutProperties) {
		return resolve(attribute, attributes.getString(attribute), method, withoutProperties);
	}

	private String resolve(String attribute, String text, Method method, String withoutProperties) {
		try {
			return this.properties.resolveRequiredPlaceholders(text);
		}
		catch (IllegalArgumentException ex) {
			// Proxies are chosen when the application is built, perhaps without its
			// properties; the application itself asks again when it starts.
			if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
				return withoutProperties;
			}
			throw new LockDefinitionException(method,
					"The placeholder in %s '%s' cannot be resolved (%s).".formatted(attribute, text, ex.getMessage()),
					"Define the property, or give it a default as in '${name:default}'.", ex);
		}
	}

}

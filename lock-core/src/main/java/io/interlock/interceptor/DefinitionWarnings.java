package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.annotation.LeaderOnly;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.PropertyResolver;

/**
 * Warns once of definitions that are allowed, and hardly meant. Safe for use by many
 * threads.
 */
final class DefinitionWarnings {

	/** Known to users, who set its level. */
	private static final Log logger = LogFactory.getLog("io.interlock.interceptor.AnnotationLockDefinitionSource");

	private final Set<String> disabledNames = ConcurrentHashMap.newKeySet();

	private final Set<String> waitingNames = ConcurrentHashMap.newKeySet();

	private final Set<Method> waitingJobs = ConcurrentHashMap.newKeySet();

	private final PropertyResolver properties;

	DefinitionWarnings(PropertyResolver properties) {
		this.properties = properties;
	}

	void disabled(String name) {
		if (this.disabledNames.add(name)) {
			logger.warn(("Lock '%s' is disabled by configuration: its methods run without it, under a handle whose "
					+ "token cannot be compared with those of other providers")
				.formatted(name));
		}
	}

	void skipWaits(Method method, String name, @Nullable Duration waitTime) {
		if (waitTime != null && !waitTime.isZero() && this.waitingNames.add(name)) {
			logger.warn(("The property 'interlock.locks.%s.wait-time' makes %s wait for other holders, although its "
					+ "policy is SKIP: a job then runs on every instance, one after the other. Remove the property, or "
					+ "set it to 0")
				.formatted(name, LockDefinitionException.describe(method)));
		}
	}

	void jobWaits(Method method, LockRequest request, @Nullable Duration override) {
		Duration waitTime = (override != null) ? override : Objects.requireNonNullElseGet(request.waitTime(),
				() -> WaitTime.of(this.properties.getProperty("interlock.default-wait-time", "10s")).duration());
		Duration minHold = request.minHold();
		if (request.mode() == LockMode.EXCLUSIVE && !waitTime.isZero()
				&& (minHold == null || minHold.compareTo(waitTime) <= 0)
				&& !AnnotatedElementUtils.hasAnnotation(method, LeaderOnly.class) && this.waitingJobs.add(method)) {
			logger.warn(("%s is @Scheduled and waits for its lock, so the job runs on every instance, one after the "
					+ "other. Set 'onContention = SKIP' to run it on one of them")
				.formatted(LockDefinitionException.describe(method)));
		}
	}

}

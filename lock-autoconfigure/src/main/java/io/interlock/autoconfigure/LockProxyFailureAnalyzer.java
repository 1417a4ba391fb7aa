package io.interlock.autoconfigure;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.interceptor.LockDefinitionException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopConfigException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.util.ClassUtils;

class LockProxyFailureAnalyzer extends AbstractFailureAnalyzer<AopConfigException> {

	private static final Pattern SUBCLASS = Pattern.compile("subclass of (?:class )?([\\w.$]+)");

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, AopConfigException cause) {
		Class<?> type = targetClass(cause);
		LockDefinitionException reason = (type != null) ? LockDefinitionException.ofFinalClass(type) : null;
		return (reason != null) ? new FailureAnalysis(reason.problem(), reason.remedy(), cause) : null;
	}

	private static @Nullable Class<?> targetClass(AopConfigException failure) {
		Matcher matcher = SUBCLASS.matcher(String.valueOf(failure.getMessage()));
		if (!matcher.find()) {
			return null;
		}
		try {
			return ClassUtils.resolveClassName(matcher.group(1), null);
		}
		catch (IllegalArgumentException | IllegalStateException ex) {
			return null;
		}
	}

}

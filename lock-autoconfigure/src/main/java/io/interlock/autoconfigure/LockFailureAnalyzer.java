package io.interlock.autoconfigure;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.interlock.interceptor.LockAdvisor;
import io.interlock.interceptor.LockDefinitionException;
import io.interlock.lease.LeaseStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopConfigException;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** Explain what keeps an application with locks from starting. */
final class LockFailureAnalyzer {

	static class Definition extends AbstractFailureAnalyzer<LockDefinitionException> {

		@Override
		protected FailureAnalysis analyze(Throwable rootFailure, LockDefinitionException cause) {
			return new FailureAnalysis(cause.problem(), cause.remedy(), cause);
		}

	}

	static class Proxy extends AbstractFailureAnalyzer<AopConfigException> {

		private static final Pattern SUBCLASS = Pattern.compile("subclass of (?:class )?([\\w.$]+)");

		@Override
		protected @Nullable FailureAnalysis analyze(Throwable rootFailure, AopConfigException cause) {
			Class<?> type = targetClass(cause);
			LockDefinitionException reason = (type != null) ? LockAdvisor.ofFinalClass(type) : null;
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

	static class LeaseStore extends AbstractFailureAnalyzer<LeaseStoreException> {

		@Override
		protected FailureAnalysis analyze(Throwable rootFailure, LeaseStoreException cause) {
			String remedy = cause.getRemedy();
			return new FailureAnalysis(StringUtils.capitalize(cause.getProblem()) + ".",
					(remedy != null) ? remedy + "." : null, cause);
		}

	}

	/** Explains what Spring Boot 3 and 4.0 lack, and uses nothing of that. */
	static class BootVersion extends AbstractFailureAnalyzer<LinkageError> {

		private static final String OWN = "io.interlock.";

		private final String version;

		BootVersion() {
			this(SpringBootVersion.getVersion());
		}

		BootVersion(String version) {
			this.version = version;
		}

		@Override
		protected @Nullable FailureAnalysis analyze(Throwable rootFailure, LinkageError cause) {
			boolean old = this.version.startsWith("3.") || this.version.startsWith("4.0.");
			if (!old || !names(rootFailure)) {
				return null;
			}
			return new FailureAnalysis(
					"Interlock needs Spring Boot 4.1, and the application runs on Spring Boot %s, which lacks %s."
						.formatted(this.version, cause.getMessage()),
					"Update the application to Spring Boot 4.1 or later.", cause);
		}

		private static boolean names(@Nullable Throwable failure) {
			return failure != null && (String.valueOf(failure.getMessage()).contains(OWN)
					|| Arrays.stream(failure.getStackTrace()).anyMatch((frame) -> frame.getClassName().startsWith(OWN))
					|| names(failure.getCause()));
		}

	}

}

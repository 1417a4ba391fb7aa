package io.interlock.autoconfigure;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains what Spring Boot 3 and 4.0 lack, and uses nothing of that. */
class SpringBootVersionFailureAnalyzer extends AbstractFailureAnalyzer<LinkageError> {

	private static final String OWN = "io.interlock.";

	private final String version;

	SpringBootVersionFailureAnalyzer() {
		this(SpringBootVersion.getVersion());
	}

	SpringBootVersionFailureAnalyzer(String version) {
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

package io.interlock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Analyzer for a {@link StartupCheckException}.
 */
class StartupCheckFailureAnalyzer extends AbstractFailureAnalyzer<StartupCheckException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, StartupCheckException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.getAction(), cause);
	}

}

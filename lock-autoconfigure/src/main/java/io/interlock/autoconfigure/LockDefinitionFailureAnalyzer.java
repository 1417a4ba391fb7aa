package io.interlock.autoconfigure;

import io.interlock.interceptor.LockDefinitionException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

class LockDefinitionFailureAnalyzer extends AbstractFailureAnalyzer<LockDefinitionException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockDefinitionException cause) {
		return new FailureAnalysis(cause.problem(), cause.remedy(), cause);
	}

}

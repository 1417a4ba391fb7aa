package io.interlock.autoconfigure;

import io.interlock.lease.LeaseStoreException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.util.StringUtils;

class LeaseStoreFailureAnalyzer extends AbstractFailureAnalyzer<LeaseStoreException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LeaseStoreException cause) {
		String remedy = cause.getRemedy();
		return new FailureAnalysis(StringUtils.capitalize(cause.getProblem()) + ".",
				(remedy != null) ? remedy + "." : null, cause);
	}

}

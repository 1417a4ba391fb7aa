package io.interlock.autoconfigure.store;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a {@link StoreChoiceException}. */
class StoreChoiceFailureAnalyzer extends AbstractFailureAnalyzer<StoreChoiceException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, StoreChoiceException cause) {
		return new FailureAnalysis(cause.problem(), cause.remedy(), cause);
	}

}

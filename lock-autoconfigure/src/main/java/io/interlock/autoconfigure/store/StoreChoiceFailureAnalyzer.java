package io.interlock.autoconfigure.store;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a {@link StoreChoice.NoStoreException}. */
class StoreChoiceFailureAnalyzer extends AbstractFailureAnalyzer<StoreChoice.NoStoreException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, StoreChoice.NoStoreException cause) {
		return new FailureAnalysis(cause.problem, cause.remedy, cause);
	}

}

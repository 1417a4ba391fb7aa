package io.interlock.autoconfigure.store;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do where locks have no store. */
class NoStoreFailureAnalyzer extends AbstractFailureAnalyzer<NoStoreFailureAnalyzer.NoStoreException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, NoStoreException cause) {
		return new FailureAnalysis(cause.problem, cause.remedy, cause);
	}

	/** Thrown on start-up if locks have no store, or several that could be meant. */
	static final class NoStoreException extends IllegalStateException {

		private static final long serialVersionUID = 1L;

		final String problem;

		final String remedy;

		NoStoreException(String problem, String remedy) {
			super(problem + " " + remedy);
			this.problem = problem;
			this.remedy = remedy;
		}

	}

}

package io.interlock.autoconfigure.curator;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Analyzer for an {@link EmbeddedZooKeeperException}.
 */
class EmbeddedZooKeeperFailureAnalyzer extends AbstractFailureAnalyzer<EmbeddedZooKeeperException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, EmbeddedZooKeeperException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.getAction(), cause);
	}

}

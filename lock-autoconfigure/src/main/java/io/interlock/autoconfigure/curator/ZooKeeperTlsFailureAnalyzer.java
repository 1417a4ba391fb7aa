package io.interlock.autoconfigure.curator;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Analyzer for a {@link ZooKeeperTlsException}.
 */
class ZooKeeperTlsFailureAnalyzer extends AbstractFailureAnalyzer<ZooKeeperTlsException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, ZooKeeperTlsException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.getAction(), cause);
	}

}

package io.interlock.autoconfigure.zookeeper;

import io.interlock.zookeeper.internal.client.ZooKeeperStartupException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

class ZooKeeperStartupFailureAnalyzer extends AbstractFailureAnalyzer<ZooKeeperStartupException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, ZooKeeperStartupException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.getAction(), cause);
	}

}

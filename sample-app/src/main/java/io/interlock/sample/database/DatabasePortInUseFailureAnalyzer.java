package io.interlock.sample.database;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains how a second box office joins the first one.
 */
class DatabasePortInUseFailureAnalyzer extends AbstractFailureAnalyzer<DatabasePortInUseException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, DatabasePortInUseException cause) {
		return new FailureAnalysis(
				"The box office serves its database on port %d, which is in use already.".formatted(cause.port()),
				"If another box office runs on this machine, join it with the profile 'join': with Maven"
						+ " -Dspring-boot.run.profiles=join, otherwise --spring.profiles.active=join."
						+ " If none does, choose another port with 'sample.database.port'.",
				cause);
	}

}

package io.interlock.sample.database;

import org.h2.jdbc.JdbcSQLNonTransientConnectionException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains that a box office that is joined must be started first.
 */
class DatabaseUnreachableFailureAnalyzer extends AbstractFailureAnalyzer<JdbcSQLNonTransientConnectionException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, JdbcSQLNonTransientConnectionException cause) {
		return new FailureAnalysis("The database of the first box office does not answer: " + cause.getMessage(),
				"Start the first box office, without the profile 'join', and wait until it is up."
						+ " If it serves its database on another port, say so with 'sample.database.port'.",
				cause);
	}

}

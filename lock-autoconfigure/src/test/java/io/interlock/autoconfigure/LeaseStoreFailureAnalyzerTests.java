package io.interlock.autoconfigure;

import io.interlock.lease.LeaseStoreException;
import org.junit.jupiter.api.Test;

import org.springframework.boot.diagnostics.FailureAnalysis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockFailureAnalyzer.LeaseStore}.
 */
class LeaseStoreFailureAnalyzerTests {

	private static FailureAnalysis analyze(LeaseStoreException failure) {
		return new LockFailureAnalyzer.LeaseStore().analyze(new IllegalStateException("a bean failed", failure));
	}

	@Test
	void saysWhatHappenedAndWhatToDo() {
		FailureAnalysis analysis = analyze(LeaseStoreException.lasting("the store refuses", "Ask another one", null));
		assertThat(analysis.getDescription()).isEqualTo("The store refuses.");
		assertThat(analysis.getAction()).isEqualTo("Ask another one.");
	}

	@Test
	void saysWhatHappenedWhereNoRemedyIsKnown() {
		FailureAnalysis analysis = analyze(LeaseStoreException.passing("the store is silent", null));
		assertThat(analysis.getDescription()).isEqualTo("The store is silent.");
		assertThat(analysis.getAction()).isNull();
	}

}

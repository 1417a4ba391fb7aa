package io.interlock.internal;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link NearestName}.
 */
class NearestNameTests {

	private static final List<String> KNOWN = List.of("billing", "audit", "auditor");

	@Test
	void letterThatIsMissingMoreOrAnother() {
		assertThat(NearestName.of("biling", KNOWN)).contains("billing");
		assertThat(NearestName.of("billling", KNOWN)).contains("billing");
		assertThat(NearestName.of("bilxing", KNOWN)).contains("billing");
		assertThat(NearestName.of("audi", KNOWN)).contains("audit");
	}

	/** The mistake that fingers make most often counts once. */
	@Test
	void lettersThatHaveChangedPlaces() {
		assertThat(NearestName.of("biliing", KNOWN)).contains("billing");
		assertThat(NearestName.of("adit", KNOWN)).contains("audit");
		assertThat(NearestName.of("redsi", List.of("redis", "jdbc"))).contains("redis");
		assertThat(NearestName.of("jbdc", List.of("redis", "jdbc"))).contains("jdbc");
		assertThat(NearestName.of("auditro", KNOWN)).contains("auditor");
	}

	@Test
	void wordsThatAreLeftOut() {
		List<String> names = List.of("default-wait-time", "locks.<name>.wait-time", "zookeeper.embedded.data-dir",
				"leader.requires-readiness", "try-timeout", "verify-timeout");
		assertThat(NearestName.of("wait-time", names)).contains("default-wait-time");
		assertThat(NearestName.of("waittime", names)).contains("default-wait-time");
		assertThat(NearestName.of("wait-tme", names)).contains("default-wait-time");
		assertThat(NearestName.of("default-wait", names)).contains("default-wait-time");
		assertThat(NearestName.of("zookeeper.data-dir", names)).contains("zookeeper.embedded.data-dir");
		assertThat(NearestName.of("leader.readiness", names)).contains("leader.requires-readiness");
		assertThat(NearestName.of("verify", names)).contains("verify-timeout");
	}

	@Test
	void wordsOfSeveralNamesAreNoHint() {
		assertThat(NearestName.of("timeout", List.of("try-timeout", "verify-timeout"))).isEmpty();
		assertThat(NearestName.of("time", List.of("default-wait-tame"))).isEmpty();
		assertThat(NearestName.of("", List.of("wait-time", "wait"))).isEmpty();
	}

	@Test
	void nameUnlikeAnyHasNone() {
		assertThat(NearestName.of("shop", KNOWN)).isEmpty();
		assertThat(NearestName.of("billing", List.of())).isEmpty();
		assertThat(NearestName.of("cbdj", List.of("jdbc"))).isEmpty();
	}

	@Test
	void questionIsOneSentence() {
		assertThat(NearestName.didYouMean("biling", KNOWN, "'%s'")).isEqualTo(" Did you mean 'billing'?");
		assertThat(NearestName.didYouMean("shop", KNOWN, "'%s'")).isEmpty();
	}

}

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

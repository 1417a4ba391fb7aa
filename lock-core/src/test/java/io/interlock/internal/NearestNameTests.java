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

	@Test
	void nameUnlikeAnyHasNone() {
		assertThat(NearestName.of("shop", KNOWN)).isEmpty();
		assertThat(NearestName.of("billing", List.of())).isEmpty();
	}

}

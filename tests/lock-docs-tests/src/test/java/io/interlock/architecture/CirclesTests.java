package io.interlock.architecture;

import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Circles}.
 */
class CirclesTests {

	@Test
	void nodesThatReachEachOtherAreACircle() {
		assertThat(Circles.in(Map.of("door", Set.of("hall"), "hall", Set.of("kitchen"), "kitchen", Set.of("garden"),
				"garden", Set.of("hall", "street"), "street", Set.of())))
			.containsExactly(Set.of("hall", "kitchen", "garden"));
	}

	@Test
	void arrowsThatOnlyGoDownAreNone() {
		assertThat(Circles.in(Map.of("roof", Set.of("attic", "hall"), "attic", Set.of("hall"), "hall", Set.of("cellar"),
				"cellar", Set.of())))
			.isEmpty();
	}

	@Test
	void nodeThatReachesItselfIsNone() {
		assertThat(Circles.in(Map.of("hall", Set.of("hall")))).isEmpty();
	}

	@Test
	void circlesApartAreTwo() {
		assertThat(Circles.in(Map.of("a", Set.of("b", "x"), "b", Set.of("a"), "x", Set.of("y"), "y", Set.of("x"))))
			.containsExactly(Set.of("a", "b"), Set.of("x", "y"));
	}

	@Test
	void circlesThatShareANodeAreOne() {
		assertThat(Circles.in(Map.of("a", Set.of("b"), "b", Set.of("a", "c"), "c", Set.of("b"))))
			.containsExactly(Set.of("a", "b", "c"));
	}

	@Test
	void nodeWithoutArrowsOfItsOwnIsNone() {
		assertThat(Circles.in(Map.of("hall", Set.of("elsewhere")))).isEmpty();
	}

}

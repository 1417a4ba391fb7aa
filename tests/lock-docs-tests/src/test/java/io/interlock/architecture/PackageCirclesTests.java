package io.interlock.architecture;

import java.util.List;
import java.util.Set;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PackageCircles}.
 */
class PackageCirclesTests {

	@Test
	void typesThatReachEachOtherThroughNestedOnesAreACircle() {
		assertThat(circles(Hen.class, Egg.class, Egg.Shell.class, Farm.class))
			.containsExactly(new PackageCircles("io.interlock.architecture", List.of(Set.of("Hen", "Egg"))));
	}

	@Test
	void bothFiguresAreOfAllCircles() {
		PackageCircles circles = new PackageCircles("farm", List.of(Set.of("a", "b", "c"), Set.of("x", "y")));
		assertThat(circles.largest()).isEqualTo(3);
		assertThat(circles.types()).isEqualTo(5);
	}

	@Test
	void packageWithoutCirclesIsLeftOut() {
		assertThat(circles(Hen.class, Farm.class)).isEmpty();
	}

	@Test
	void typesOfOneFileAreNoCircle() {
		assertThat(circles(Farm.class, Farm.Gate.class)).isEmpty();
	}

	private static List<PackageCircles> circles(Class<?>... types) {
		return PackageCircles.among(new ClassFileImporter().importClasses(types));
	}

}

class Farm {

	Hen[] hens = {};

	Gate gate = new Gate();

	class Gate {

		Farm farm = Farm.this;

	}

}

class Hen {

	Egg[] eggs = {};

}

class Egg {

	static class Shell {

		Hen hatch() {
			return new Hen();
		}

	}

}

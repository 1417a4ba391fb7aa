package io.interlock.architecture;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SizeLimits}.
 */
class SizeLimitsTests {

	private final SizeLimits limits = limits(Map.of("types.shop", 7L, "circles.shop.largest", 2L));

	@Test
	void sizesAtTheirLimitsAreRight() {
		assertThat(this.limits.violations(List.of(Size.of("types.shop", 7), circle("Egg", "Hen")))).isEmpty();
	}

	@Test
	void riseIsToldWithItsFiguresAndNames() {
		assertThat(this.limits.violations(List.of(Size.of("types.shop", 8), circle("Egg", "Farm", "Hen"))))
			.containsExactly("types.shop rose from 7 to 8", "circles.shop.largest rose from 2 to 3: Egg, Farm, Hen");
	}

	@Test
	void fallIsToBeWritten() {
		assertThat(this.limits.violations(List.of(Size.of("types.shop", 6)))).containsExactly(
				"types.shop fell from 7 to 6: write it with -Dinterlock.docs.write=true",
				"circles.shop.largest fell from 2 to none: write it with -Dinterlock.docs.write=true");
	}

	@Test
	void circleInAPackageWithoutALineIsARise() {
		List<Size> sizes = List.of(Size.of("types.shop", 7), circle("Egg", "Hen"), Size.of("circles.farm.largest", 2));
		assertThat(this.limits.violations(sizes)).containsExactly("circles.farm.largest rose from 0 to 2");
		assertThat(this.limits.loweredTo(sizes)).isEqualTo(this.limits);
	}

	@Test
	void newSizeIsWritten() {
		List<Size> sizes = List.of(Size.of("types.shop", 7), circle("Egg", "Hen"), Size.of("types.farm", 3));
		assertThat(this.limits.violations(sizes))
			.containsExactly("types.farm is new, with 3: write it with -Dinterlock.docs.write=true");
		assertThat(this.limits.loweredTo(sizes).violations(sizes)).isEmpty();
	}

	@Test
	void limitsAreLoweredAndNeverRaised() {
		assertThat(this.limits.loweredTo(List.of(Size.of("types.shop", 8))))
			.isEqualTo(limits(Map.of("types.shop", 7L)));
		assertThat(this.limits.loweredTo(List.of(Size.of("types.shop", 6))))
			.isEqualTo(limits(Map.of("types.shop", 6L)));
	}

	@Test
	void limitsAreReadAsTheyWereWritten(@TempDir Path directory) throws IOException {
		Path file = directory.resolve("limits.properties");
		this.limits.write(file);
		assertThat(SizeLimits.read(file)).isEqualTo(this.limits);
	}

	@Test
	void tableHasLimitsAndSizes() {
		assertThat(this.limits.table(List.of(circle("Egg", "Farm", "Hen")))
			.lines()
			.map((line) -> line.replaceAll(" +", " ")))
			.containsExactly("size limit now", "circles.shop.largest 2 3 Egg, Farm, Hen");
	}

	private static Size circle(String... types) {
		return Size.of("circles.shop.largest", new TreeSet<>(Set.of(types)));
	}

	private static SizeLimits limits(Map<String, Long> limits) {
		return new SizeLimits(new TreeMap<>(limits));
	}

}

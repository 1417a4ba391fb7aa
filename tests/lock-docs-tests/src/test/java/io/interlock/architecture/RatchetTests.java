package io.interlock.architecture;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.Source;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sizes that may fall and never rise. With {@code -Dinterlock.docs.write=true}, those
 * that have fallen are written to the file that the build compares them with.
 */
class RatchetTests {

	private static final Path FILE = Path.of("..", "..", "build", "ratchets.properties");

	@Test
	void noSizeHasRisen() throws Exception {
		List<Size> sizes = sizes();
		if (Boolean.getBoolean("interlock.docs.write")) {
			SizeLimits.read(FILE).loweredTo(sizes).write(FILE);
		}
		SizeLimits limits = SizeLimits.read(FILE);
		System.out.println(limits.table(sizes));
		List<String> violations = limits.violations(sizes);
		assertThat(violations).withFailMessage(
				() -> "Sizes of build/ratchets.properties may fall and never rise:\n" + String.join("\n", violations))
			.isEmpty();
	}

	private static List<Size> sizes() throws Exception {
		List<Size> sizes = new ArrayList<>(sizesOfSources());
		JavaClasses classes = new ClassFileImporter()
			.withImportOption((location) -> MainModule.at(location.asURI().toString()).isPresent())
			.importPackages("io.interlock");
		for (String module : MainSources.MODULES) {
			sizes.add(Size.of("types." + module, types(module, classes)));
		}
		PackageCircles.among(classes).forEach((room) -> sizes.addAll(sizesOfCircles(room)));
		sizes.add(Size.of("running-types.zookeeper", RunningCall.onZooKeeper()));
		sizes.add(Size.of("running-types.h2", RunningCall.onDatabase()));
		return sizes;
	}

	private static List<Size> sizesOfSources() {
		List<Size> sizes = new ArrayList<>();
		for (String module : MainSources.MODULES) {
			sizes.add(
					Size.of("code-lines." + module, MainSources.files(module).mapToLong(SourceTests::codeLines).sum()));
		}
		sizes.add(Size.of("largest-type", MainSources.files().mapToLong(SourceTests::codeLines).max().orElseThrow()));
		sizes.add(Size.of("public-types",
				MainSources.files()
					.filter((file) -> !file.toString().contains("/internal/"))
					.filter((file) -> SourceTests.PUBLIC_TYPE.matcher(SourceTests.text(file)).find())
					.count()));
		return sizes;
	}

	/**
	 * Return how many types a module has, nested ones included.
	 */
	private static long types(String module, JavaClasses classes) {
		return classes.stream()
			.filter((type) -> !type.isAnonymousClass() && !type.getSimpleName().equals("package-info"))
			.filter((type) -> moduleOf(type).equals(module))
			.count();
	}

	private static String moduleOf(JavaClass type) {
		return type.getSource().map(Source::getUri).flatMap((place) -> MainModule.at(place.toString())).orElseThrow();
	}

	private static List<Size> sizesOfCircles(PackageCircles room) {
		String name = SizeLimits.CIRCLES + room.name();
		String circles = room.circles().stream().map(Set::toString).collect(Collectors.joining(" "));
		return List.of(new Size(name + ".largest", room.largest(), circles),
				new Size(name + ".types", room.types(), circles));
	}

}

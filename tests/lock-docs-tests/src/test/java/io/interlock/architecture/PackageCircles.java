package io.interlock.architecture;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;

/**
 * The types of one package that reach each other by their dependencies. A nested type
 * belongs to its top-level type.
 *
 * @param name name of the package
 * @param circles simple names of the types in each of its circles
 */
record PackageCircles(String name, List<Set<String>> circles) {

	/**
	 * Return the packages that have circles.
	 */
	static List<PackageCircles> among(Collection<JavaClass> types) {
		return types.stream()
			.collect(Collectors.groupingBy(JavaClass::getPackageName, TreeMap::new, Collectors.toList()))
			.entrySet()
			.stream()
			.map((room) -> new PackageCircles(room.getKey(), Circles.in(arrows(room.getValue()))))
			.filter((room) -> !room.circles().isEmpty())
			.toList();
	}

	private static Map<String, Set<String>> arrows(List<JavaClass> types) {
		Map<String, Set<String>> arrows = new TreeMap<>();
		for (JavaClass type : types) {
			Set<String> known = arrows.computeIfAbsent(topLevel(type), (name) -> new TreeSet<>());
			type.getDirectDependenciesFromSelf()
				.stream()
				.map(Dependency::getTargetClass)
				.map(JavaClass::getBaseComponentType)
				.filter((target) -> target.getPackageName().equals(type.getPackageName()))
				.map(PackageCircles::topLevel)
				.forEach(known::add);
		}
		return arrows;
	}

	private static String topLevel(JavaClass type) {
		return type.getEnclosingClass().map(PackageCircles::topLevel).orElseGet(type::getSimpleName);
	}

	int largest() {
		return this.circles.stream().mapToInt(Set::size).max().orElse(0);
	}

	int types() {
		return this.circles.stream().mapToInt(Set::size).sum();
	}

}

package io.interlock.architecture;

import java.util.List;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;

/**
 * Predicates for rules about dependencies.
 */
final class DependencyRules {

	private DependencyRules() {
	}

	static DescribedPredicate<JavaClass> ofInterlockOutside(String... packages) {
		List<String> allowed = List.of(packages);
		return DescribedPredicate.describe("are of this library outside of packages " + allowed,
				(type) -> type.getPackageName().startsWith("io.interlock") && !allowed.contains(type.getPackageName()));
	}

}

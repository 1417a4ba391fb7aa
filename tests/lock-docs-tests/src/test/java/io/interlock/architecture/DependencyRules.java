package io.interlock.architecture;

import java.util.List;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;

/**
 * Predicates for rules about dependencies.
 */
final class DependencyRules {

	static final String SHARED = "io.interlock.internal";

	private DependencyRules() {
	}

	/** What packages share, each of them may know. */
	static DescribedPredicate<JavaClass> ofInterlockOutside(String... packages) {
		return JavaClass.Predicates.resideInAPackage("io.interlock..")
			.and(JavaClass.Predicates.resideOutsideOfPackage(SHARED))
			.and(JavaClass.Predicates.resideOutsideOfPackages(packages))
			.as("are of this library outside of packages " + List.of(packages));
	}

}

package io.interlock.test;

import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.CanBeAnnotated;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.LeaderOnly;

/**
 * Rules of <a href="https://www.archunit.org">ArchUnit</a> for the classes of an
 * application that takes locks. ArchUnit is an optional dependency.
 *
 * @since 0.1.0
 */
public final class LockRules {

	private LockRules() {
	}

	/**
	 * Return the rule that no class calls its own methods with a lock annotation, or
	 * refers to them: such a call does not go through the proxy, so the annotation does
	 * nothing. Calls from lambdas, anonymous and local classes, and subclasses count too.
	 * A call of another object of the same class looks the same and is reported as well.
	 * @return the rule, which holds for classes without annotations
	 */
	public static ArchRule annotatedMethodsAreCalledFromOutside() {
		return ArchRuleDefinition.noClasses()
			.should()
			.accessTargetWhere(DescribedPredicate.describe("the target is an annotated method of the class",
					LockRules::isSelfCall))
			.as("methods with a lock annotation should be called from outside of their class")
			.because("a call of an object to itself bypasses its proxy and runs without the lock; move the method to "
					+ "another bean, or use LockTemplate")
			.allowEmptyShould(true);
	}

	private static boolean isSelfCall(JavaAccess<?> access) {
		return caller(access.getOriginOwner()).isAssignableTo(access.getTargetOwner().getName()) && access.getTarget()
			.resolveMember()
			.filter((member) -> member instanceof JavaCodeUnit unit && isAnnotated(unit))
			.isPresent();
	}

	private static JavaClass caller(JavaClass origin) {
		return (origin.isAnonymousClass() || origin.isLocalClass())
				? origin.getEnclosingClass().map(LockRules::caller).orElse(origin) : origin;
	}

	private static boolean isAnnotated(JavaCodeUnit unit) {
		boolean inherits = Stream.of(JavaModifier.PRIVATE, JavaModifier.STATIC).noneMatch(unit.getModifiers()::contains)
				&& !unit.isConstructor();
		JavaClass owner = unit.getOwner();
		List<String> parameters = unit.getRawParameterTypes().stream().map(JavaClass::getName).toList();
		return hasAnnotation(unit) || (inherits && Stream
			.of(Stream.of(owner), owner.getAllRawSuperclasses().stream(), owner.getAllRawInterfaces().stream())
			.flatMap((types) -> types)
			.anyMatch((type) -> type.tryGetMethod(unit.getName(), parameters.toArray(String[]::new))
				.filter((method) -> hasAnnotation(method) || hasAnnotation(type))
				.isPresent()));
	}

	private static boolean hasAnnotation(CanBeAnnotated element) {
		return element.isMetaAnnotatedWith(DistributedLock.class) || element.isMetaAnnotatedWith(LeaderOnly.class);
	}

}

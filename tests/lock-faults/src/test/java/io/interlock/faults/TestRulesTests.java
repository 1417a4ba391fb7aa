package io.interlock.faults;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.interlock.faults.time.Lapse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/**
 * What the classes of the suite and its fixtures look like.
 */
@AnalyzeClasses(packages = { "io.interlock.faults", "io.interlock.testsupport" })
class TestRulesTests {

	@ArchTest
	static final ArchRule nobodySleeps = noClasses().should()
		.callMethodWhere(JavaCall.Predicates.target(HasName.Predicates.name("sleep")))
		.because("a latch or Awaitility says what is waited for, and " + Lapse.class.getSimpleName()
				+ " why time has to pass");

	@ArchTest
	static final ArchRule testsAreFoundByTheBuild = methods().that()
		.areAnnotatedWith(Test.class)
		.or()
		.areAnnotatedWith(ParameterizedTest.class)
		.should()
		.beDeclaredInClassesThat()
		.haveNameMatching(".*(Tests|IT)(\\$.*)?")
		.because("surefire runs *Tests and failsafe runs *IT");

}

package io.interlock;

import java.util.concurrent.TimeUnit;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption.OnlyIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/**
 * What tests look like.
 */
@AnalyzeClasses(packages = "io.interlock", importOptions = OnlyIncludeTests.class)
class TestRulesTests {

	@ArchTest
	static final ArchRule testsDoNotSleep = noClasses().should()
		.callMethod(Thread.class, "sleep", long.class)
		.orShould()
		.callMethod(TimeUnit.class, "sleep", long.class)
		.because("a latch or Awaitility says what is waited for");

	@ArchTest
	static final ArchRule testsAreFoundByTheBuild = methods().that()
		.areAnnotatedWith(Test.class)
		.and()
		.areDeclaredInClassesThat()
		.doNotHaveModifier(JavaModifier.ABSTRACT)
		.should()
		.beDeclaredInClassesThat()
		.haveNameMatching(".*(Tests|IT)(\\$.*)?")
		.because("surefire runs *Tests and failsafe runs *IT");

	@ArchTest
	static final ArchRule testsStubWithGiven = noClasses().should()
		.callMethod(Mockito.class, "when", Object.class)
		.because("BDDMockito reads in the order of the test");

}

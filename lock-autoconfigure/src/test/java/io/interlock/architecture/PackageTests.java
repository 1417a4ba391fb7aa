package io.interlock.architecture;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/**
 * Which package may know which.
 */
@AnalyzeClasses(packages = "io.interlock", importOptions = DoNotIncludeTests.class)
class PackageTests {

	@ArchTest
	static final ArchRule packagesAreFreeOfCycles = slices().matching("(**)").should().beFreeOfCycles();

	@ArchTest
	static final ArchRule vocabularyKnowsNoOtherPackage = noClasses().that()
		.resideInAPackage("io.interlock")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.interlock.(**)");

	@ArchTest
	static final ArchRule annotationsKnowTheVocabularyOnly = noClasses().that()
		.resideInAPackage("io.interlock.annotation..")
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.annotation"));

	@ArchTest
	static final ArchRule templateKnowsTheVocabularyOnly = noClasses().that()
		.resideInAPackage("io.interlock.template..")
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.template"));

	@ArchTest
	static final ArchRule interceptorKnowsAnnotationsAndTemplateOnly = noClasses().that()
		.resideInAPackage("io.interlock.interceptor..")
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.annotation",
				"io.interlock.template", "io.interlock.interceptor"));

	@ArchTest
	static final ArchRule administrationKnowsTheVocabularyOnly = noClasses().that()
		.resideInAPackage("io.interlock.admin..")
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.admin"));

	@ArchTest
	static final ArchRule providersKnowTheVocabularyAndAdministrationOnly = noClasses().that()
		.resideInAPackage("io.interlock.curator..")
		.should()
		.dependOnClassesThat(
				DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.admin", "io.interlock.curator"));

	@ArchTest
	static final ArchRule queueKnowsTheVocabularyOnly = noClasses().that()
		.resideInAPackage("io.interlock.queue..")
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.queue"));

	@ArchTest
	static final ArchRule autoConfigurationIsUsedByServiceConnectionsOnly = noClasses().that()
		.resideOutsideOfPackages("io.interlock.autoconfigure..", "io.interlock.testcontainers..",
				"io.interlock.docker..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.interlock.autoconfigure..");

	@ArchTest
	static final ArchRule zooKeeperIsKnownWhereItIsSpokenOnly = noClasses().that()
		.resideOutsideOfPackages("io.interlock.curator..", "io.interlock.health..", "io.interlock.autoconfigure..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.apache.curator..", "org.apache.zookeeper..");

	@ArchTest
	static final ArchRule springBootIsKnownAtTheEdgeOnly = noClasses().that()
		.resideOutsideOfPackages("io.interlock.health..", "io.interlock.actuate..", "io.interlock.autoconfigure..",
				"io.interlock.testcontainers..", "io.interlock.docker..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("org.springframework.boot..");

	@ArchTest
	static final ArchRule templateKnowsNoProxiesAndNoMeters = noClasses().that()
		.resideInAPackage("io.interlock.template..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.aop..", "org.aopalliance..", "io.micrometer..");

}

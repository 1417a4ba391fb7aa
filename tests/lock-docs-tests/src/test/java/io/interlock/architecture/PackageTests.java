package io.interlock.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/**
 * Which package may know which.
 */
@AnalyzeClasses(packages = "io.interlock", importOptions = MainClasses.class)
class PackageTests {

	@ArchTest
	static final ArchRule packagesAreFreeOfCycles = slices().matching("(**)").should().beFreeOfCycles();

	@ArchTest
	static final ArchRule vocabularyKnowsNoOtherPackage = noClasses().that()
		.resideInAPackage("io.interlock")
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside("io.interlock"));

	@ArchTest
	static final ArchRule whatPackagesShareKnowsNoneOfThem = noClasses().that()
		.resideInAPackage(DependencyRules.SHARED)
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside(DependencyRules.SHARED));

	@ArchTest
	static final ArchRule providersKnowTheVocabularyOnly = noClasses().that()
		.resideInAPackage("io.interlock.provider")
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.provider"));

	@ArchTest
	static final ArchRule annotationsKnowTheVocabularyOnly = noClasses().that()
		.resideInAPackage("io.interlock.annotation..")
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.annotation"));

	@ArchTest
	static final ArchRule templateKnowsTheVocabularyOnly = noClasses().that()
		.resideInAPackage("io.interlock.template..")
		.should()
		.dependOnClassesThat(
				DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.provider", "io.interlock.template"));

	@ArchTest
	static final ArchRule interceptorKnowsAnnotationsAndWhatTheyUseOnly = noClasses().that()
		.resideInAPackage("io.interlock.interceptor..")
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.provider",
				"io.interlock.annotation", "io.interlock.template", "io.interlock.leader", "io.interlock.memory",
				"io.interlock.interceptor"));

	@ArchTest
	static final ArchRule electionKnowsTheVocabularyOnly = noClasses().that()
		.resideInAPackage("io.interlock.leader..")
		.should()
		.dependOnClassesThat(
				DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.provider", "io.interlock.leader"));

	@ArchTest
	static final ArchRule answersOverHttpKnowTheExceptionsOnly = noClasses().that()
		.resideInAPackage("io.interlock.autoconfigure.web..")
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.fencing",
				"io.interlock.autoconfigure.web"));

	@ArchTest
	static final ArchRule administrationKnowsTheVocabularyOnly = noClasses().that()
		.resideInAPackage("io.interlock.admin..")
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.admin"));

	@ArchTest
	static final ArchRule engineKnowsTheVocabularyAndItsInternalsOnly = noClasses().that()
		.resideInAPackage("io.interlock.zookeeper.internal.engine")
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.provider",
				"io.interlock.zookeeper", "io.interlock.zookeeper.internal.engine",
				"io.interlock.zookeeper.internal.node", "io.interlock.zookeeper.internal.session"));

	@ArchTest
	static final ArchRule sessionKnowsWhatUsersSeeOfItOnly = noClasses().that()
		.resideInAPackage("io.interlock.zookeeper.internal.session..")
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside("io.interlock.zookeeper",
				"io.interlock.zookeeper.internal.session"));

	@ArchTest
	static final ArchRule whatUsersSeeOfZooKeeperKnowsTheVocabularyOnly = noClasses().that()
		.resideInAPackage("io.interlock.zookeeper")
		.should()
		.dependOnClassesThat(
				DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.provider", "io.interlock.zookeeper"));

	@ArchTest
	static final ArchRule operatorsKnowAdministrationAndInternalsOnly = noClasses().that()
		.resideInAPackage("io.interlock.zookeeper.internal.operator..")
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.provider",
				"io.interlock.admin", "io.interlock.zookeeper.internal.engine", "io.interlock.zookeeper.internal.node",
				"io.interlock.zookeeper.internal.session", "io.interlock.zookeeper.internal.operator"));

	@ArchTest
	static final ArchRule lockNodesKnowTheVocabularyAndWhatUsersSeeOfZooKeeperOnly = noClasses().that()
		.resideInAPackage("io.interlock.zookeeper.internal.node..")
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.provider",
				"io.interlock.zookeeper", "io.interlock.zookeeper.internal.node"));

	@ArchTest
	static final ArchRule operatorsAreUsedByAutoConfigurationOnly = noClasses().that()
		.resideOutsideOfPackages("io.interlock.zookeeper.internal.operator..", "io.interlock.autoconfigure..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.interlock.zookeeper.internal.operator..");

	@ArchTest
	static final ArchRule clientOfTheLibraryIsUsedByAutoConfigurationOnly = noClasses().that()
		.resideOutsideOfPackages("io.interlock.zookeeper.internal.client", "io.interlock.autoconfigure..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.interlock.zookeeper.internal.client");

	@ArchTest
	static final ArchRule internalsAreUsedByProvidersAndAutoConfigurationOnly = noClasses().that()
		.resideOutsideOfPackages("io.interlock.zookeeper.internal..", "io.interlock.autoconfigure..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.interlock.zookeeper.internal..")
		.because("they are public for packages next to them, and change at any time");

	@ArchTest
	static final ArchRule queueKnowsTheVocabularyOnly = noClasses().that()
		.resideInAPackage("io.interlock.queue..")
		.should()
		.dependOnClassesThat(
				DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.provider", "io.interlock.queue"));

	@ArchTest
	static final ArchRule locksInMemoryKnowTheVocabularyOnly = noClasses().that()
		.resideInAPackage("io.interlock.memory..")
		.should()
		.dependOnClassesThat(
				DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.provider", "io.interlock.memory"));

	@ArchTest
	static final ArchRule leasesKnowTheVocabularyOnly = noClasses().that()
		.resideInAPackage("io.interlock.lease..")
		.should()
		.dependOnClassesThat(DependencyRules.ofInterlockOutside("io.interlock", "io.interlock.provider",
				"io.interlock.admin", "io.interlock.lease"));

	@ArchTest
	static final ArchRule autoConfigurationIsUsedByServiceConnectionsOnly = noClasses().that()
		.resideOutsideOfPackages("io.interlock.autoconfigure..", "io.interlock.testcontainers..",
				"io.interlock.docker..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.interlock.autoconfigure..");

	@ArchTest
	static final ArchRule autoConfigurationHoldsWhatSpringBootBindsOnly = classes().that()
		.resideInAPackage("io.interlock.autoconfigure..")
		.and()
		.areTopLevelClasses()
		.and()
		.doNotHaveSimpleName("package-info")
		.should()
		.haveNameMatching(
				".*(Configuration|Properties|ConnectionDetails|Customizer|FailureAnalyzer|EnvironmentPostProcessor|LockLifecycle|LateWork|LeaseStartupCheck"
						+ "|OutlivingLocks|ConditionalOnStore|Provider|NamedLockProviders|StoreChoice|LockStores|LockStoreFactory|LockExceptionAdvice|InvokerAdvisor)");

	@ArchTest
	static final ArchRule zooKeeperIsKnownWhereItIsSpokenOnly = noClasses().that()
		.resideOutsideOfPackages("io.interlock.zookeeper..", "io.interlock.health..", "io.interlock.autoconfigure..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.apache.curator..", "org.apache.zookeeper..");

	@ArchTest
	static final ArchRule springBootIsKnownAtTheEdgeOnly = noClasses().that()
		.resideOutsideOfPackages("io.interlock.health..", "io.interlock.actuate..", "io.interlock.autoconfigure..",
				"io.interlock.testcontainers..", "io.interlock.docker..", "io.interlock.zookeeper.internal.client",
				"io.interlock.zookeeper.internal.node..", "io.interlock.zookeeper.internal.operator..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("org.springframework.boot..");

	@ArchTest
	static final ArchRule clientOfTheLibraryKnowsSpringBootForSslBundlesOnly = noClasses().that()
		.resideInAPackage("io.interlock.zookeeper.internal.client")
		.should()
		.dependOnClassesThat(JavaClass.Predicates.resideInAPackage("org.springframework.boot..")
			.and(JavaClass.Predicates.resideOutsideOfPackage("org.springframework.boot.ssl")))
		.because("an SSL bundle is how an application describes TLS, and properties are bound at the edge");

	@ArchTest
	static final ArchRule providersKnowTheJsonOfSpringBootOnly = noClasses().that()
		.resideInAnyPackage("io.interlock.zookeeper.internal.node..", "io.interlock.zookeeper.internal.operator..")
		.should()
		.dependOnClassesThat(resideInAPackage("org.springframework.boot..")
			.and(not(resideInAPackage("org.springframework.boot.json"))));

	@ArchTest
	static final ArchRule templateKnowsNoProxiesAndNoMeters = noClasses().that()
		.resideInAPackage("io.interlock.template..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.aop..", "org.aopalliance..", "io.micrometer..");

}

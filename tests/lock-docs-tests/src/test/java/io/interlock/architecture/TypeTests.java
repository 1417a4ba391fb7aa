package io.interlock.architecture;

import java.util.Collection;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.interlock.zookeeper.internal.session.ClientHandle;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.NullMarked;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What types look like.
 */
@AnalyzeClasses(packages = "io.interlock", importOptions = MainClasses.class)
class TypeTests {

	@ArchTest
	static final ArchRule autoConfigurationsArePublicAndFinal = classes().that()
		.areAnnotatedWith(AutoConfiguration.class)
		.should()
		.bePublic()
		.andShould()
		.haveModifier(JavaModifier.FINAL)
		.andShould()
		.haveSimpleNameEndingWith("AutoConfiguration");

	@ArchTest
	static final ArchRule autoConfigurationsHaveNoPublicMembers = classes().that()
		.areAnnotatedWith(AutoConfiguration.class)
		.should(haveNoPublicMembers());

	@ArchTest
	static final ArchRule beanMethodsAreNotConditionalOnClasses = methods().that()
		.areAnnotatedWith(Bean.class)
		.should()
		.notBeAnnotatedWith(ConditionalOnClass.class)
		.because("the method's own signature would already have to load them");

	@ArchTest
	static final ArchRule answersOfNewerServersAreUnderstood = noClasses().that()
		.doNotBelongToAnyOf(ClientHandle.class)
		.should()
		.callMethod(Code.class, "get", int.class)
		.because("it throws if a server answers what this client does not know");

	@ArchTest
	static final ArchRule loggingGoesThroughCommonsLogging = noClasses().should()
		.dependOnClassesThat()
		.haveNameMatching("org\\.slf4j\\.Logger.*|java\\.util\\.logging\\..*");

	@ArchTest
	static void packagesAreNullMarked(JavaClasses classes) {
		Collection<JavaPackage> packages = classes.stream().map(JavaClass::getPackage).distinct().toList();
		assertThat(packages).isNotEmpty()
			.allMatch((javaPackage) -> javaPackage.isAnnotatedWith(NullMarked.class), "are null-marked");
	}

	@ArchTest
	static void aQuarterOfTheTypesIsPackagePrivate(JavaClasses classes) {
		Collection<JavaClass> types = classes.stream()
			.filter(JavaClass::isTopLevelClass)
			.filter((type) -> !type.getSimpleName().equals("package-info"))
			.toList();
		Collection<JavaClass> hidden = types.stream()
			.filter((type) -> !type.getModifiers().contains(JavaModifier.PUBLIC))
			.toList();
		assertThat(hidden).as("package-private ones of %d types", types.size())
			.hasSizeGreaterThanOrEqualTo((types.size() + 3) / 4);
	}

	private static ArchCondition<JavaClass> haveNoPublicMembers() {
		return new ArchCondition<>("have no public members") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				type.getMembers().stream().filter(TypeTests::isPublicByChoice).forEach((member) -> {
					String message = member.getDescription() + " is public in " + member.getSourceCodeLocation();
					events.add(SimpleConditionEvent.violated(member, message));
				});
			}

		};
	}

	private static boolean isPublicByChoice(JavaMember member) {
		return member.getModifiers().contains(JavaModifier.PUBLIC) && !member.getName().equals("<init>");
	}

}

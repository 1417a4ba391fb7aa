package io.interlock.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the public types against the list that says why each of them is public.
 */
@AnalyzeClasses(packages = "io.interlock", importOptions = MainClasses.class)
class PublicTypesTests {

	@ArchTest
	static void publicTypesAreThoseOfTheList(JavaClasses classes) throws IOException {
		List<String> types = classes.stream()
			.filter(JavaClass::isTopLevelClass)
			.filter((type) -> type.getModifiers().contains(JavaModifier.PUBLIC))
			.filter((type) -> !type.getPackageName().contains(".internal"))
			.map(JavaClass::getName)
			.toList();
		Map<String, String> reasons = reasons();
		assertThat(reasons.keySet()).as("types in public-types.properties").containsExactlyInAnyOrderElementsOf(types);
		assertThat(reasons.values()).as("reasons in public-types.properties")
			.allSatisfy((reason) -> assertThat(reason).isNotBlank());
	}

	private static Map<String, String> reasons() throws IOException {
		Properties reasons = new Properties();
		try (InputStream list = PublicTypesTests.class.getResourceAsStream("public-types.properties")) {
			reasons.load(list);
		}
		return reasons.stringPropertyNames().stream().collect(Collectors.toMap((type) -> type, reasons::getProperty));
	}

}

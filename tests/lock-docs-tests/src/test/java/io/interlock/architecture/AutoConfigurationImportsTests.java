package io.interlock.architecture;

import java.io.IOException;
import java.util.List;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;

import org.springframework.boot.autoconfigure.AutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every auto-configuration is found by Spring Boot.
 */
@AnalyzeClasses(packages = "io.interlock", importOptions = MainClasses.class)
class AutoConfigurationImportsTests {

	private static final String IMPORTS = "META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports";

	@ArchTest
	static void importsListEveryAutoConfigurationInOrder(JavaClasses classes) throws IOException {
		List<String> autoConfigurations = classes.stream()
			.filter((type) -> type.isAnnotatedWith(AutoConfiguration.class))
			.map(JavaClass::getName)
			.sorted()
			.toList();
		List<String> imports = MainOutput.read(IMPORTS).lines().filter((line) -> !line.isBlank()).toList();
		assertThat(imports).isNotEmpty().containsExactlyElementsOf(autoConfigurations);
	}

}

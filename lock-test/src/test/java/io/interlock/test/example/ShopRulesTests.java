package io.interlock.test.example;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.interlock.test.LockRules;
import org.junit.jupiter.api.Test;

class ShopRulesTests {

	@Test
	void annotatedMethodsAreCalledFromOutside() {
		JavaClasses classes = new ClassFileImporter().importPackagesOf(ShopApplication.class);
		LockRules.annotatedMethodsAreCalledFromOutside().check(classes);
	}

}

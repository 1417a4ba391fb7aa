package io.interlock.architecture;

import java.util.regex.Pattern;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;

/**
 * The classes of this module, without its tests and without the module that supports
 * them.
 */
final class MainClasses implements ImportOption {

	private static final Pattern TEST_SUPPORT = Pattern.compile(".*/io/interlock/testsupport/.*");

	private static final ImportOption WITHOUT_TESTS = new DoNotIncludeTests();

	@Override
	public boolean includes(Location location) {
		return WITHOUT_TESTS.includes(location) && !location.matches(TEST_SUPPORT);
	}

}

package io.interlock.architecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;

/**
 * The classes of the main code that makes up a starter, without those of other stores.
 */
final class MainClasses implements ImportOption {

	@Override
	public boolean includes(Location location) {
		return MainModule.at(location.asURI().toString()).filter(MainSources.MODULES::contains).isPresent();
	}

}

package io.interlock.architecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;

/**
 * The classes of the main code of the starters, those of all stores.
 */
final class StoreClasses implements ImportOption {

	@Override
	public boolean includes(Location location) {
		return MainModule.at(location.asURI().toString()).isPresent();
	}

}

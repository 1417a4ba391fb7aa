package io.interlock.sample;

import java.util.List;

/**
 * Tests for the live page with locks in the database of the box office.
 */
class LivePageOnADatabaseTests extends LivePageContract {

	@Override
	List<String> store() {
		return List.of("--interlock.provider=jdbc");
	}

}

package io.interlock.architecture;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.interlock.autoconfigure.store.LockStores;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every property explains itself in an editor.
 */
class ConfigurationMetadataTests {

	@Test
	void everyPropertyHasASentenceAsDescription() throws IOException {
		assertThat(PropertyMetadata.all()).isNotEmpty()
			.allSatisfy((property) -> assertThat(property.description()).as(property.name())
				.matches("(?!The |A |An )[A-Z].*\\."));
	}

	@Test
	void storesOfTheLibraryAreOffered() throws IOException {
		List<String> offered = new ArrayList<>(LockStores.of(getClass().getClassLoader()).names());
		offered.add(LockStores.NONE);
		assertThat(PropertyMetadata.hinted("interlock.provider")).isEqualTo(offered);
	}

	@Test
	void everyPropertyIsInTheNamespaceOfTheLibrary() throws IOException {
		assertThat(PropertyMetadata.all()).extracting(PropertyMetadata::name)
			.allMatch((name) -> name.startsWith("interlock.")
					|| name.matches("management.health.(zookeeper|interlock|interlock-providers).enabled")
					|| name.startsWith("management.endpoint.locks."));
	}

}

package io.interlock.architecture;

import java.io.IOException;

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
	void everyPropertyIsInTheNamespaceOfTheLibrary() throws IOException {
		assertThat(PropertyMetadata.all()).extracting(PropertyMetadata::name)
			.allMatch((name) -> name.startsWith("interlock.")
					|| name.matches("management.health.(zookeeper|interlock|interlock-providers).enabled")
					|| name.startsWith("management.endpoint.locks."));
	}

}

package io.interlock.autoconfigure;

import io.interlock.autoconfigure.zookeeper.ZooKeeperProperties;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StoreProperties}.
 */
class StorePropertiesTests {

	@Test
	void propertiesOfEachStoreCanBeBoundInANativeImage() {
		RuntimeHints hints = new RuntimeHints();
		new StoreProperties.Hints().registerHints(hints, getClass().getClassLoader());
		assertThat(ZooKeeperProperties.class.getDeclaredConstructors()).allMatch(
				(constructor) -> RuntimeHintsPredicates.reflection().onConstructorInvocation(constructor).test(hints));
	}

}

package io.interlock.architecture;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MainModule}.
 */
class MainModuleTests {

	@ParameterizedTest
	@CsvSource({ "/project/lock-core/target/classes/, lock-core",
			"file:/project/lock-core/target/classes/io/interlock/LockId.class, lock-core",
			"/repository/lock-jdbc/0.1.0/lock-jdbc-0.1.0.jar, lock-jdbc",
			"jar:file:/project/providers/lock-redis/target/lock-redis-0.1.0-SNAPSHOT.jar!/io/interlock/redis/LockKeys.class, lock-redis" })
	void mainCodeHasAModule(String place, String module) {
		assertThat(MainModule.at(place)).contains(module);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/project/lock-core/target/test-classes/",
			"/project/lock-core/target/lock-core-0.1.0-tests.jar", "/project/tests/lock-test-support/target/classes/",
			"/repository/curator-recipes-5.9.0.jar" })
	void otherCodeHasNone(String place) {
		assertThat(MainModule.at(place)).isEmpty();
	}

}

package io.interlock.benchmark;

import java.util.Set;

import io.interlock.benchmark.scenario.Scenario;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Benchmark}.
 */
class BenchmarkTests {

	@Test
	void groupsOfScenariosRunWhenNamedOnly() {
		assertThat(Benchmark.chosen(Set.of())).extracting(Scenario::name)
			.contains("hot-32", "jvms")
			.noneMatch((name) -> name.startsWith("stores") || name.startsWith("size"));
		assertThat(Benchmark.chosen(Set.of("stores"))).extracting(Scenario::name)
			.containsExactly("stores-uncontended-1", "stores-uncontended-8", "stores-hot-32", "stores-jvms-2x1",
					"stores-jvms", "stores-failover");
		assertThat(Benchmark.chosen(Set.of("stores-jvms", "keys"))).extracting(Scenario::name)
			.containsExactly("keys", "stores-jvms");
		assertThat(Benchmark.chosen(Set.of("stores-jvms-5ms-away"))).extracting(Scenario::name)
			.containsExactly("stores-jvms-5ms-away");
	}

	@Test
	void coldJvmsWithOneCompilerAreMeasuredWhenNamedOnly() {
		assertThat(Benchmark.chosen(Set.of())).extracting(Scenario::name).contains("cold").doesNotContain("cold-c1");
		assertThat(Benchmark.chosen(Set.of("cold-c1"))).extracting(Scenario::name).containsExactly("cold-c1");
	}

	@Test
	void unknownScenarioIsRefusedByName() {
		assertThatIllegalArgumentException().isThrownBy(() -> Benchmark.chosen(Set.of("stores", "hot")))
			.withMessageContaining("[hot]")
			.withMessageContaining("hot-32");
	}

}

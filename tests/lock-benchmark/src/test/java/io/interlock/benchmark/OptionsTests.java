package io.interlock.benchmark;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Options}.
 */
class OptionsTests {

	@Test
	void optionsAreRead() {
		Options options = Options
			.parse(new String[] { "--scenario=hot-8,keys", "--rounds=5", "--seconds=1.5", "--keys=1_000_000" });
		assertThat(options.scenarios()).containsExactlyInAnyOrder("hot-8", "keys");
		assertThat(options.rounds()).isEqualTo(5);
		assertThat(options.seconds()).isEqualTo(1.5);
		assertThat(options.keys()).hasValue(1_000_000);
	}

	@Test
	void whatIsSaidBesideQuickHoldsWhereverItStands() {
		assertThat(Options.parse(new String[] { "--rounds=7", "--quick" }).rounds()).isEqualTo(7);
	}

	@Test
	void unknownOptionIsRefusedByName() {
		assertThatIllegalArgumentException().isThrownBy(() -> Options.parse(new String[] { "--round=5" }))
			.withMessageContaining("'--round=5'");
	}

}

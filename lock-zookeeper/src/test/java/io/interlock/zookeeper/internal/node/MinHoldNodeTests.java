package io.interlock.zookeeper.internal.node;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MinHoldNode}.
 */
class MinHoldNodeTests {

	private static final long NOW = 1_800_000_000_000L;

	@Test
	void nameHasEverything() {
		LockNode contender = new LockNode("/lock/_c_1-keep-permit-3-0000000007", 42, NOW, 7, 0, 0);
		MinHoldNode kept = MinHoldNode.insteadOf(contender, NOW + 1000);
		assertThat(kept.name()).isEqualTo("kept-permit-3-42-" + (NOW + 1000));
		assertThat(MinHoldNode.parse(kept.name())).isEqualTo(kept);
		assertThat(kept.mode()).isEqualTo(LockMode.PERMIT);
	}

	@ParameterizedTest
	@ValueSource(strings = { "kept-exclusive-9999999999999999999-1800000000000",
			"kept-permit-12-9223372036854775808-1800000000000", "kept-exclusive-7-9999999999999999999",
			"kept-exclusive-7-12", "kept-exclusive--7-1800000000000", "kept-permit-0-7-1800000000000",
			"kept-permit-9999999999-7-1800000000000", "kept-", "kept-exclusive-7-1800000000000-" })
	void nameThatNoInstanceWritesKeepsNothing(String name) {
		assertThat(MinHoldNode.parse(name)).isNull();
	}

	@Test
	void largestTokenIsRead() {
		MinHoldNode kept = MinHoldNode.parse("kept-shared-" + Long.MAX_VALUE + "-" + NOW);
		assertThat(kept).isNotNull();
		assertThat(kept.token()).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void lockIsKeptUntilTheEndUnlessThatIsFurtherAheadThanAnyMinimumTime() {
		long longest = LockRequest.MAX_MIN_HOLD.toMillis();
		assertThat(keptUntil(NOW).keepsAt(NOW)).isFalse();
		assertThat(keptUntil(NOW + 1).keepsAt(NOW)).isTrue();
		assertThat(keptUntil(NOW + longest).keepsAt(NOW)).isTrue();
		assertThat(keptUntil(NOW + longest).isTooFarAheadAt(NOW)).isFalse();
		assertThat(keptUntil(NOW + 2 * longest).keepsAt(NOW)).isFalse();
		assertThat(keptUntil(NOW + 2 * longest).isTooFarAheadAt(NOW)).isTrue();
		assertThat(keptUntil(NOW).isTooFarAheadAt(Long.MAX_VALUE)).isFalse();
	}

	private static MinHoldNode keptUntil(long end) {
		return new MinHoldNode("kept-exclusive-7-" + end, LockMode.EXCLUSIVE, 1, 7, end);
	}

}

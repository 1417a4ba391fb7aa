package io.interlock.lease;

import java.time.Instant;

import io.interlock.RevocationRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HolderRequest}.
 */
class HolderRequestTests {

	private static final Instant AT = Instant.parse("2026-11-28T10:15:30.123Z");

	@Test
	void textTellsAllOfIt() {
		HolderRequest request = new HolderRequest("c0ffee-1z", 3, new RevocationRequest("'alice' | \u00e4", AT));
		assertThat(HolderRequest.parse(request.text())).isEqualTo(request);
		HolderRequest any = new HolderRequest("c0ffee-1z", null, new RevocationRequest("'bob'", AT));
		assertThat(HolderRequest.parse(any.text())).isEqualTo(any);
	}

	@Test
	void longNameIsCut() {
		HolderRequest request = new HolderRequest("x".repeat(64), null, new RevocationRequest("a".repeat(1000), AT));
		assertThat(request.text()).hasSize(LeaseOwner.MAX_LENGTH);
		assertThat(HolderRequest.parse(request.text())).isNotNull()
			.satisfies((read) -> assertThat(read.request().requestedBy()).startsWith("aaa"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "shop@a:1|2026-11-28T10:15:30.123Z||main", "ask a - soon 'bob'",
			"ask a x 2026-11-28T10:15:30.123Z 'bob'", "ask a 9999999999 2026-11-28T10:15:30.123Z 'bob'",
			"ask a - 2026-99-28T10:15:30.123Z 'bob'", "ask  - 2026-11-28T10:15:30.123Z 'bob'" })
	void whatOthersWroteIsNoRequest(String text) {
		assertThat(HolderRequest.parse(text)).isNull();
	}

}

package io.interlock.faults.check;

import io.interlock.faults.check.FencedResource.Update;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FencedResource}.
 */
class FencedResourceTests {

	private final FencedResource resource = new FencedResource();

	@Test
	void updatesAfterEachOtherAreAccepted() {
		assertThat(this.resource.update(1, this.resource.read(1))).isEqualTo(Update.ACCEPTED);
		assertThat(this.resource.update(1, this.resource.read(1))).isEqualTo(Update.ACCEPTED);
		assertThat(this.resource.read(2)).isEqualTo(2);
	}

	@Test
	void smallerTokenIsRefused() {
		long read = this.resource.read(1);
		this.resource.read(2);
		assertThat(this.resource.read(1)).isEqualTo(-1);
		assertThat(this.resource.update(1, read)).isEqualTo(Update.REFUSED);
	}

	@Test
	void lostUpdateIsNoticed() {
		long first = this.resource.read(1);
		long second = this.resource.read(1);
		assertThat(this.resource.update(1, first)).isEqualTo(Update.ACCEPTED);
		assertThat(this.resource.update(1, second)).isEqualTo(Update.ACCEPTED_OVER_ANOTHER);
	}

}

package io.interlock.zookeeper.internal.client;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link UnknownHosts}.
 */
class UnknownHostsTests {

	@Test
	void namesEachHostThatIsNotKnownOnce() {
		assertThat(UnknownHosts.in("127.0.0.1:2181,nowhere.invalid:2181,nowhere.invalid:2182,other.invalid/chroot"))
			.isEqualTo(" The name service cannot resolve nowhere.invalid, other.invalid: correct "
					+ "interlock.zookeeper.connect-string.");
	}

	@Test
	void saysNothingOfKnownHosts() {
		assertThat(UnknownHosts.in("127.0.0.1:2181,[::1]:2181/chroot")).isEmpty();
		assertThat(UnknownHosts.in("")).isEmpty();
	}

}

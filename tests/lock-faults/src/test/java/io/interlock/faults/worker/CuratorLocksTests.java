package io.interlock.faults.worker;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link CuratorLocks}.
 */
class CuratorLocksTests {

	@Test
	void holdThatIsReleasedByAThreadThatHasNotAcquiredItIsAFailureOfTheSuite() {
		try (CuratorFramework client = CuratorFrameworkFactory.newClient("127.0.0.1:1", new RetryOneTime(1))) {
			Held held = new CuratorLocks.Hold(new InterProcessMutex(client, "/lock"));
			assertThat(held.closesOnAnyThread()).isFalse();
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(held::close);
		}
	}

}

package io.interlock.autoconfigure;

import java.time.Duration;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.autoconfigure.zookeeper.CuratorAutoConfiguration;
import io.interlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.interlock.logging.LoggingLockListener;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@code interlock.min-hold-at-shutdown}.
 */
@ExtendWith(OutputCaptureExtension.class)
class MinHoldAtShutdownTests {

	/** Is not over when the holder has ended, also on a machine that stalls. */
	private static final Duration SHORT = Duration.ofSeconds(3);

	private final Released released = new Released();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class,
				CuratorAutoConfiguration.class))
		.withPropertyValues("interlock.provider=memory")
		.withBean(Released.class, () -> this.released);

	@Test
	@Proves(value = Promise.HOLDING_AT_LEAST, under = Fault.THE_APPLICATION_STOPS)
	void locksAreReleasedAtOnceByDefault(CapturedOutput output) {
		assertThat(stop(this.contextRunner, Duration.ofMinutes(10))).isLessThan(Duration.ofMinutes(1));
		assertThat(this.released.count).isEqualTo(1);
		assertThat(output).doesNotContain("Locks still held").doesNotContain("stay held");
	}

	@Test
	void shutdownSaysWhichLocksZooKeeperKeeps(CapturedOutput output) throws Exception {
		try (TestingServer server = new TestingServer()) {
			stop(this.contextRunner.withPropertyValues("interlock.provider=zookeeper",
					"interlock.zookeeper.connect-string=" + server.getConnectString()), Duration.ofMinutes(10));
		}
		assertThat(output)
			.containsOnlyOnce("Locks that stay held after this instance has stopped: 1, settlement until ");
	}

	@Test
	@Proves(value = Promise.HOLDING_AT_LEAST, under = Fault.THE_APPLICATION_STOPS)
	void shutdownCanWaitUntilTheTimeIsOver(CapturedOutput output) {
		assertThat(stop(waiting("60s"), SHORT)).isGreaterThanOrEqualTo(SHORT);
		// The timer that releases the lock tells listeners after the hold has gone.
		await().untilAsserted(() -> assertThat(this.released.count).isEqualTo(1));
		assertThat(output).doesNotContain("Locks still held");
	}

	@Test
	void shutdownWaitsForItsTimeoutAtMost(CapturedOutput output) {
		assertThat(stop(waiting("50ms"), Duration.ofMinutes(10))).isLessThan(Duration.ofMinutes(1));
		assertThat(this.released.count).isEqualTo(1);
		assertThat(output).doesNotContain("Locks still held");
	}

	@Test
	void locksAreLogged() {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(LoggingLockListener.class));
	}

	private ApplicationContextRunner waiting(String timeout) {
		return this.contextRunner.withPropertyValues("interlock.min-hold-at-shutdown=wait",
				"interlock.shutdown-timeout=" + timeout);
	}

	private static Duration stop(ApplicationContextRunner runner, Duration minHold) {
		long[] acquiredAt = new long[1];
		runner.run((context) -> {
			acquiredAt[0] = System.nanoTime();
			context.getBean(LockTemplate.class)
				.acquire(LockRequest.exclusive("settlement").withMinHold(minHold))
				.close();
			assertThat(context.getBean(Released.class).count).isZero();
		});
		return Duration.ofNanos(System.nanoTime() - acquiredAt[0]);
	}

	static class Released implements LockListener {

		private volatile int count;

		@Override
		public void onReleased(LockHandle handle, Duration held) {
			this.count++;
		}

	}

}

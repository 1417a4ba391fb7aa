package io.interlock.curator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link CuratorLockProvider} on a real server.
 */
class CuratorLockProviderTests {

	private static TestingServer server;

	private int counter;

	@BeforeAll
	static void start() throws Exception {
		server = new TestingServer();
	}

	@AfterAll
	static void stop() throws Exception {
		server.close();
	}

	@Test
	void exclusiveLockExcludesOtherInstances() {
		try (Instance one = Instance.connectedTo(server.getConnectString());
				Instance two = Instance.connectedTo(server.getConnectString())) {
			LockRequest request = LockRequest.exclusive("orders").withKey(42).withWaitTime(Duration.ZERO);
			try (LockHandle held = one.template().acquire(request)) {
				assertThat(held.isValid()).isTrue();
				assertThat(held.fencingToken()).isPositive();
				assertThat(two.template().tryAcquire(request)).isEmpty();
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> two.template().acquire(request.withWaitTime(Duration.ofMillis(200))));
				held.verify();
			}
			Optional<LockHandle> next = two.template().tryAcquire(request);
			assertThat(next).isPresent();
			next.get().close();
		}
	}

	@Test
	void countsToTheEndWithTwoClientsAndEightThreadsEach() throws Exception {
		try (Instance one = Instance.connectedTo(server.getConnectString());
				Instance two = Instance.connectedTo(server.getConnectString())) {
			ExecutorService threads = Executors.newFixedThreadPool(16);
			List<Future<?>> done = new ArrayList<>();
			for (int thread = 0; thread < 16; thread++) {
				Instance instance = (thread % 2 == 0) ? one : two;
				done.add(threads.submit(() -> {
					for (int i = 0; i < 200; i++) {
						instance.template()
							.executeWithoutResult(LockRequest.exclusive("counter").withWaitTime(Duration.ofSeconds(60)),
									(lock) -> this.counter++);
					}
				}));
			}
			for (Future<?> each : done) {
				each.get();
			}
			threads.shutdown();
			assertThat(this.counter).isEqualTo(3200);
		}
	}

}

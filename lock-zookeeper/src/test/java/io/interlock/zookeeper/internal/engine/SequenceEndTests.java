package io.interlock.zookeeper.internal.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.server.SequenceServer;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the end of the sequence numbers, where the server repeats them and turns them
 * negative.
 */
class SequenceEndTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("end").withWaitTime(Duration.ofSeconds(60));

	@Test
	@Proves(value = Promise.EXCLUSION, under = Fault.SEQUENCE_NUMBERS_REPEAT)
	void countsToTheEndWhereSequenceNumbersRepeat(@TempDir Path directory) throws Exception {
		try (SequenceServer server = new SequenceServer(directory)) {
			countAtTheEnd(server);
		}
	}

	private static void countAtTheEnd(SequenceServer server) throws Exception {
		String connectString = server.connectString();
		UnguardedCounter counter = new UnguardedCounter();
		try (Instance one = Instance.connectedTo(connectString, Duration.ofSeconds(10));
				Instance two = Instance.connectedTo(connectString, Duration.ofSeconds(10));
				CuratorFramework blocker = Instance.client(connectString, Duration.ofSeconds(10))) {
			blocker.create().creatingParentsIfNeeded().forPath(LocalServer.pathOf(REQUEST) + "/no-contender");
			server.setSequence(LocalServer.pathOf(REQUEST), Integer.MAX_VALUE - 20);
			List<Callable<?>> tasks = new ArrayList<>();
			for (int thread = 0; thread < 8; thread++) {
				Instance instance = (thread % 2 == 0) ? one : two;
				tasks.add(() -> {
					for (int i = 0; i < 25; i++) {
						instance.template().executeWithoutResult(REQUEST, (lock) -> counter.increment(2_000_000));
					}
					return null;
				});
			}
			UnguardedCounter.runTogether(tasks);
			assertThat(counter.value()).isEqualTo(200);
			try (LockHandle last = one.template().acquire(REQUEST)) {
				assertThat(blocker.getChildren().forPath(LocalServer.pathOf(REQUEST)))
					.anyMatch((name) -> name.endsWith("-lock-" + Integer.MAX_VALUE));
				assertThat(last.isValid()).isTrue();
			}
		}
	}

}

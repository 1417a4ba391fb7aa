package io.interlock.curator;

import java.io.File;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.StatPersisted;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the end of the sequence numbers, where the server repeats them and turns them
 * negative.
 */
class SequenceEndTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("end").withWaitTime(Duration.ofSeconds(60));

	@Test
	void countsToTheEndWhereSequenceNumbersRepeat(@TempDir Path directory) throws Exception {
		Object server = Class.forName("org.apache.zookeeper.server.ZooKeeperServer")
			.getConstructor(File.class, File.class, int.class)
			.newInstance(directory.toFile(), directory.toFile(), 500);
		Object connections = Class.forName("org.apache.zookeeper.server.NIOServerCnxnFactory")
			.getConstructor()
			.newInstance();
		ReflectionTestUtils.invokeMethod(connections, "configure", new InetSocketAddress("127.0.0.1", 0), 100);
		ReflectionTestUtils.invokeMethod(connections, "startup", server);
		try {
			Integer port = ReflectionTestUtils.invokeMethod(connections, "getLocalPort");
			countAtTheEnd(server, "127.0.0.1:" + port);
		}
		finally {
			ReflectionTestUtils.invokeMethod(connections, "shutdown");
		}
	}

	/**
	 * By reflection: the compiler cannot read the server's classes without a warning.
	 */
	private static void setSequence(Object server, int sequence) {
		Object database = ReflectionTestUtils.invokeMethod(server, "getZKDatabase");
		assertThat(database).isNotNull();
		Object node = ReflectionTestUtils.invokeMethod(database, "getNode", LocalServer.pathOf(REQUEST));
		assertThat(node).isNotNull();
		StatPersisted stat = (StatPersisted) ReflectionTestUtils.getField(node, "stat");
		assertThat(stat).isNotNull();
		stat.setCversion(sequence);
	}

	private static void countAtTheEnd(Object server, String connectString) throws Exception {
		UnguardedCounter counter = new UnguardedCounter();
		try (Instance one = Instance.connectedTo(connectString, Duration.ofSeconds(10));
				Instance two = Instance.connectedTo(connectString, Duration.ofSeconds(10));
				CuratorFramework blocker = Instance.client(connectString, Duration.ofSeconds(10))) {
			blocker.create().creatingParentsIfNeeded().forPath(LocalServer.pathOf(REQUEST) + "/no-contender");
			setSequence(server, Integer.MAX_VALUE - 20);
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

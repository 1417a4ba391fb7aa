package io.interlock.zookeeper.internal.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.server.SequenceServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for defect F7 of plain Curator: once the servers have run out of sequence numbers
 * and repeat the last one, it grants locks that are held. Both kinds of lock are held at
 * the end of the numbers here.
 */
@Timeout(60)
class SequenceEndControlTests {

	private static final int TRIES = 40;

	private static final LockRequest REQUEST = LockRequest.exclusive("end").withWaitTime(Duration.ofSeconds(20));

	private static final String PLAIN_PATH = "/plain/end";

	@Test
	@Proves(value = Promise.EXCLUSION, under = Fault.SEQUENCE_NUMBERS_REPEAT)
	void heldLockIsNotGrantedWherePlainMutexIs(@TempDir Path directory) throws Exception {
		try (SequenceServer server = new SequenceServer(directory);
				CuratorFramework client = Instance.client(server.connectString(), Duration.ofSeconds(10));
				CuratorFramework other = Instance.client(server.connectString(), Duration.ofSeconds(10));
				Instance instance = Instance.on(client);
				Instance otherInstance = Instance.on(other)) {
			runOutOfSequenceNumbers(server, client, PLAIN_PATH);
			runOutOfSequenceNumbers(server, client, LocalServer.pathOf(REQUEST));
			assertThat(grantsOfPlainCurator(client, other)).as("grants of a plain mutex that is held").isPositive();
			for (int i = 0; i < TRIES; i++) {
				try (LockHandle held = instance.template().acquire(REQUEST)) {
					assertThat(otherInstance.template().tryAcquire(REQUEST.withWaitTime(Duration.ZERO))).isEmpty();
					assertThat(held.isValid()).isTrue();
				}
			}
		}
	}

	private static void runOutOfSequenceNumbers(SequenceServer server, CuratorFramework client, String path)
			throws Exception {
		client.create().creatingParentsIfNeeded().forPath(path + "/no-contender");
		server.setSequence(path, Integer.MAX_VALUE);
	}

	/**
	 * Holds the mutex anew for every try: which of two nodes with the same number comes
	 * first is decided by the order of the server's hash set, so one holder may happen to
	 * come first always.
	 */
	private static int grantsOfPlainCurator(CuratorFramework client, CuratorFramework other) throws Exception {
		int grants = 0;
		for (int i = 0; i < TRIES; i++) {
			InterProcessMutex held = new InterProcessMutex(client, PLAIN_PATH);
			held.acquire();
			InterProcessMutex mutex = new InterProcessMutex(other, PLAIN_PATH);
			if (mutex.acquire(0, TimeUnit.SECONDS)) {
				grants++;
				mutex.release();
			}
			held.release();
		}
		return grants;
	}

}

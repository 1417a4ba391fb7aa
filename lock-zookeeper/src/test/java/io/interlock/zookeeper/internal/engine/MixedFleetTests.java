package io.interlock.zookeeper.internal.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.tier.Deep;
import io.interlock.zookeeper.Peers;
import io.interlock.zookeeper.Recipe;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests that {@link ZooKeeperLockProvider} and other clients, plain Curator and Kazoo,
 * exclude each other where the documentation says so.
 */
@ExtendWith(SharedServer.class)
class MixedFleetTests {

	private static final int ROUNDS = 60;

	private static final int KAZOO_ROUNDS = 500;

	/**
	 * About as long as a round trip, so that two holders are seen.
	 */
	private static final long BUSY_NANOS = 500_000;

	private static final Duration LONG = Duration.ofSeconds(60);

	private final UnguardedCounter counter = new UnguardedCounter();

	private final LocalServer server;

	MixedFleetTests(LocalServer server) {
		this.server = server;
	}

	@Test
	@Proves(value = Promise.EXCLUSION, under = Fault.OTHER_CLIENTS_USE_THE_PATH)
	void countsToTheEndBesidePlainMutexes() throws Exception {
		LockRequest request = LockRequest.exclusive("beside-mutex").withWaitTime(LONG);
		List<Callable<?>> tasks = new ArrayList<>();
		try (Instance ours = Instance.connectedTo(this.server.connectString());
				CuratorFramework plain = Instance.client(this.server.connectString(), Duration.ofSeconds(30))) {
			for (int thread = 0; thread < 8; thread++) {
				tasks.add(() -> count(ours, request));
				tasks.add(() -> count(new InterProcessMutex(plain, LocalServer.pathOf(request))));
			}
			UnguardedCounter.runTogether(tasks);
		}
		assertThat(this.counter.value()).isEqualTo(16 * ROUNDS);
	}

	@ParameterizedTest
	@ValueSource(strings = { "lock-", "" })
	void countsToTheEndBesideClientsThatSortByNumber(String prefix) throws Exception {
		LockRequest request = LockRequest.exclusive("beside-numbers").withKey("key-" + prefix).withWaitTime(LONG);
		List<Callable<?>> tasks = new ArrayList<>();
		try (Instance ours = Instance.connectedTo(this.server.connectString());
				Instance queueing = Instance.queueing(this.server.connectString(), Duration.ofSeconds(30),
						new QueueSettings(true, Map.of(), Duration.ofMillis(5), 10, 100));
				CuratorFramework plain = Instance.client(this.server.connectString(), Duration.ofSeconds(30))) {
			for (int thread = 0; thread < 4; thread++) {
				tasks.add(() -> count(ours, request, BUSY_NANOS));
				tasks.add(() -> count(queueing, request, BUSY_NANOS));
				tasks.add(() -> count(new NumberedLock(plain, LocalServer.pathOf(request), prefix), BUSY_NANOS));
			}
			tasks.add(() -> count(new InterProcessMutex(plain, LocalServer.pathOf(request)), BUSY_NANOS));
			UnguardedCounter.runTogether(tasks);
		}
		assertThat(this.counter.value()).isEqualTo(13 * ROUNDS);
	}

	@Test
	@Proves(value = Promise.EXCLUSION, under = Fault.OTHER_CLIENTS_USE_THE_PATH)
	void countsToTheEndBesidePlainReadWriteLocks() throws Exception {
		LockRequest write = LockRequest.exclusive("beside-read-write").withWaitTime(LONG);
		LockRequest read = LockRequest.shared("beside-read-write").withWaitTime(LONG);
		List<Callable<?>> tasks = new ArrayList<>();
		try (Instance ours = Instance.with(this.server.connectString(), Duration.ofSeconds(30),
				Instance.settings(Recipe.PIPELINED, Map.of("beside-read-write", Peers.READ_WRITE)));
				CuratorFramework plain = Instance.client(this.server.connectString(), Duration.ofSeconds(30))) {
			for (int thread = 0; thread < 8; thread++) {
				tasks.add(() -> count(ours, write));
				tasks.add(() -> count(readWrite(plain, write).writeLock()));
			}
			for (int thread = 0; thread < 2; thread++) {
				tasks.add(() -> read(ours, read));
				tasks.add(() -> read(readWrite(plain, read).readLock()));
			}
			UnguardedCounter.runTogether(tasks);
		}
		assertThat(this.counter.value()).isEqualTo(16 * ROUNDS);
	}

	/**
	 * The read node takes over the place of the write node, so it comes in before a
	 * waiter that is already there.
	 */
	@Test
	void writeHolderThatTurnsReaderKeepsAnExclusiveWaiterOut() throws Exception {
		LockRequest request = LockRequest.exclusive("downgraded").withWaitTime(LONG);
		try (Instance ours = Instance.with(this.server.connectString(), Duration.ofSeconds(30),
				Instance.settings(Recipe.PIPELINED, Map.of("downgraded", Peers.READ_WRITE)));
				CuratorFramework plain = Instance.client(this.server.connectString(), Duration.ofSeconds(30))) {
			InterProcessReadWriteLock lock = readWrite(plain, request);
			lock.writeLock().acquire();
			CompletableFuture<LockHandle> waiting = CompletableFuture
				.supplyAsync(() -> ours.template().acquire(request));
			await().until(() -> this.server.contenders(request).size() == 2);
			lock.readLock().acquire();
			lock.writeLock().release();
			assertThat(this.server.contenders(request)).hasSize(2);
			await().during(Duration.ofMillis(500)).until(() -> !waiting.isDone());
			lock.readLock().release();
			waiting.get(10, TimeUnit.SECONDS).close();
		}
	}

	@Deep
	@Test
	void countsToTheEndBesideKazoo(@TempDir Path directory) throws Exception {
		assumeTrue(KazooProcess.isInstalled(), KazooProcess.MISSING);
		LockRequest request = LockRequest.exclusive("beside-kazoo").withWaitTime(LONG);
		FileCounter files = new FileCounter(directory);
		List<Callable<?>> tasks = new ArrayList<>();
		try (Instance ours = Instance.connectedTo(this.server.connectString())) {
			for (int thread = 0; thread < 2; thread++) {
				tasks.add(() -> KazooProcess.count(this.server.connectString(), LocalServer.pathOf(request), directory,
						KAZOO_ROUNDS));
				tasks.add(() -> {
					for (int i = 0; i < KAZOO_ROUNDS; i++) {
						ours.template().executeWithoutResult(request, (lock) -> files.increment());
					}
					return null;
				});
			}
			UnguardedCounter.runTogether(tasks);
		}
		assertThat(files.value()).isEqualTo(4 * KAZOO_ROUNDS);
		await().untilAsserted(() -> assertThat(this.server.contenders(request)).isEmpty());
	}

	private static InterProcessReadWriteLock readWrite(CuratorFramework plain, LockRequest request) {
		return new InterProcessReadWriteLock(plain, LocalServer.pathOf(request));
	}

	private @Nullable Void count(Instance instance, LockRequest request) {
		return count(instance, request, 0);
	}

	private @Nullable Void count(Instance instance, LockRequest request, long nanos) {
		for (int i = 0; i < ROUNDS; i++) {
			instance.template().executeWithoutResult(request, (lock) -> this.counter.increment(nanos));
		}
		return null;
	}

	private @Nullable Void count(InterProcessLock lock) throws Exception {
		return count(lock, 0);
	}

	private @Nullable Void count(InterProcessLock lock, long nanos) throws Exception {
		for (int i = 0; i < ROUNDS; i++) {
			lock.acquire();
			try {
				this.counter.increment(nanos);
			}
			finally {
				lock.release();
			}
		}
		return null;
	}

	private int read(Instance instance, LockRequest request) {
		int last = 0;
		for (int i = 0; i < ROUNDS; i++) {
			last = instance.template().execute(request, (lock) -> this.counter.value());
		}
		return last;
	}

	private int read(InterProcessLock lock) throws Exception {
		int last = 0;
		for (int i = 0; i < ROUNDS; i++) {
			lock.acquire();
			try {
				last = this.counter.value();
			}
			finally {
				lock.release();
			}
		}
		return last;
	}

}

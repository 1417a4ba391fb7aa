package io.interlock.curator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import io.interlock.LockRequest;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@link CuratorLockProvider} and plain Curator exclude each other where the
 * documentation says so.
 */
@ExtendWith(SharedServer.class)
class MixedFleetTests {

	private static final int ROUNDS = 200;

	private static final Duration LONG = Duration.ofSeconds(60);

	private final UnguardedCounter counter = new UnguardedCounter();

	private final LocalServer server;

	MixedFleetTests(LocalServer server) {
		this.server = server;
	}

	@Test
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
		assertThat(this.counter.value()).isEqualTo(3200);
	}

	@Test
	void countsToTheEndBesidePlainReadWriteLocks() throws Exception {
		LockRequest write = LockRequest.exclusive("beside-read-write").withWaitTime(LONG);
		LockRequest read = LockRequest.shared("beside-read-write").withWaitTime(LONG);
		List<Callable<?>> tasks = new ArrayList<>();
		try (Instance ours = Instance.with(this.server.connectString(), Duration.ofSeconds(30),
				Instance.settings(Recipe.GUARDED, Map.of("beside-read-write", Peers.READ_WRITE)));
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
		assertThat(this.counter.value()).isEqualTo(3200);
	}

	private static InterProcessReadWriteLock readWrite(CuratorFramework plain, LockRequest request) {
		return new InterProcessReadWriteLock(plain, LocalServer.pathOf(request));
	}

	private @Nullable Void count(Instance instance, LockRequest request) {
		for (int i = 0; i < ROUNDS; i++) {
			instance.template().executeWithoutResult(request, (lock) -> this.counter.increment());
		}
		return null;
	}

	private @Nullable Void count(InterProcessLock lock) throws Exception {
		for (int i = 0; i < ROUNDS; i++) {
			lock.acquire();
			try {
				this.counter.increment();
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

package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the loss of thousands of holds at once.
 */
@ExtendWith(SharedServer.class)
class ManyLossesTests {

	private static final int HOLDS = 2_000;

	private static final int MAX_THREADS = 80;

	private final LocalServer server;

	ManyLossesTests(LocalServer server) {
		this.server = server;
	}

	@Test
	void losingAllHoldsOfASessionStartsABoundedNumberOfThreads() throws Exception {
		AtomicInteger told = new AtomicInteger();
		CountDownLatch all = new CountDownLatch(HOLDS);
		Set<Thread> tellers = ConcurrentHashMap.newKeySet();
		try (Instance instance = Instance.connectedTo(this.server.connectString(), Duration.ofSeconds(30))) {
			for (LockGrant grant : grants(instance)) {
				grant.onStateChange((state) -> {
					if (state == LockState.LOST) {
						LockSupport.parkNanos(50_000_000);
						tellers.add(Thread.currentThread());
						told.incrementAndGet();
						all.countDown();
					}
				});
			}
			Set<Thread> before = threads();
			Set<Thread> started = new HashSet<>();
			instance.client().getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
			await().atMost(Duration.ofSeconds(60)).until(() -> {
				started.addAll(threads());
				return all.getCount() == 0;
			});
			started.removeAll(before);
			assertThat(told).hasValue(HOLDS);
			assertThat(tellers).hasSizeLessThanOrEqualTo(MAX_THREADS);
			assertThat(started).hasSizeLessThanOrEqualTo(MAX_THREADS);
		}
	}

	/**
	 * Return the threads of this JVM without the workers of the server, which runs here
	 * too.
	 */
	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> !thread.getName().startsWith("NIOWorkerThread")
					&& !thread.getName().startsWith("awaitility"))
			.collect(Collectors.toSet());
	}

	private static List<LockGrant> grants(Instance instance) throws Exception {
		List<LockAttempt> attempts = new ArrayList<>();
		for (int key = 0; key < HOLDS; key++) {
			LockRequest request = LockRequest.exclusive("many-losses").withKey(key);
			attempts.add(instance.provider().attempt(request, LockCaller.current()));
		}
		List<LockGrant> grants = new ArrayList<>();
		for (LockAttempt attempt : attempts) {
			grants.add(attempt.outcome().get(60, TimeUnit.SECONDS).orElseThrow());
		}
		return grants;
	}

}

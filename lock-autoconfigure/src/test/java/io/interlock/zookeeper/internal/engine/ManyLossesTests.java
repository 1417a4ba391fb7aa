package io.interlock.zookeeper.internal.engine;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.interlock.LockAttempt;
import io.interlock.LockGrant;
import io.interlock.LockOwner;
import io.interlock.LockRequest;
import io.interlock.LockState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the loss of thousands of holds at once.
 */
@ExtendWith(SharedServer.class)
class ManyLossesTests {

	private static final int HOLDS = 5_000;

	private static final int MAX_THREADS = 80;

	private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

	private final LocalServer server;

	ManyLossesTests(LocalServer server) {
		this.server = server;
	}

	@Test
	void losingAllHoldsOfASessionStartsABoundedNumberOfThreads() throws Exception {
		AtomicInteger told = new AtomicInteger();
		CountDownLatch all = new CountDownLatch(HOLDS);
		try (Instance instance = Instance.connectedTo(this.server.connectString(), Duration.ofSeconds(10))) {
			for (LockGrant grant : grants(instance)) {
				grant.onStateChange((state) -> {
					if (state == LockState.LOST) {
						LockSupport.parkNanos(50_000_000);
						told.incrementAndGet();
						all.countDown();
					}
				});
			}
			int before = this.threads.getThreadCount();
			this.threads.resetPeakThreadCount();
			instance.client().getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
			assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
			assertThat(told).hasValue(HOLDS);
			assertThat(this.threads.getPeakThreadCount() - before).isLessThanOrEqualTo(MAX_THREADS);
		}
	}

	private static List<LockGrant> grants(Instance instance) throws Exception {
		List<LockAttempt> attempts = new ArrayList<>();
		for (int key = 0; key < HOLDS; key++) {
			LockRequest request = LockRequest.exclusive("many-losses").withKey(key);
			attempts.add(instance.provider().attempt(request, LockOwner.current()));
		}
		List<LockGrant> grants = new ArrayList<>();
		for (LockAttempt attempt : attempts) {
			grants.add(attempt.outcome().get(60, TimeUnit.SECONDS).orElseThrow());
		}
		return grants;
	}

}

package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.interlock.LockRequest;
import io.interlock.testsupport.proxy.Ports;
import io.interlock.testsupport.server.FourLetterWord;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for an ensemble that loses its leader.
 */
class ClusterTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("cluster").withWaitTime(Duration.ofSeconds(50));

	private static final int AFTERWARDS = 20;

	private final UnguardedCounter counter = new UnguardedCounter();

	private final AtomicInteger counted = new AtomicInteger();

	@Test
	void nobodyIsLostOrCountedTwiceWhenTheLeaderRestarts() throws Exception {
		try (TestingCluster cluster = new TestingCluster(specs())) {
			cluster.start();
			AtomicBoolean restarted = new AtomicBoolean();
			CountDownLatch underWay = new CountDownLatch(20);
			RecordingListener listener = new RecordingListener();
			try (Instance one = Instance.connectedTo(cluster.getConnectString(), Duration.ofSeconds(20), listener);
					Instance two = Instance.connectedTo(cluster.getConnectString(), Duration.ofSeconds(20), listener)) {
				Callable<?> restart = () -> {
					underWay.await(30, TimeUnit.SECONDS);
					InstanceSpec leader = leaderOf(cluster);
					cluster.killServer(leader);
					await().atMost(Duration.ofSeconds(30)).until(() -> leaderOf(cluster) != null);
					cluster.restartServer(leader);
					restarted.set(true);
					return null;
				};
				UnguardedCounter.runTogether(List.of(restart, () -> count(one, underWay, restarted),
						() -> count(two, underWay, restarted), () -> count(one, underWay, restarted)));
			}
			assertThat(this.counter.value()).isEqualTo(this.counted.get()).isGreaterThanOrEqualTo(3 * AFTERWARDS);
			assertThat(listener.lost()).isEmpty();
		}
	}

	private static List<InstanceSpec> specs() {
		return IntStream.rangeClosed(1, 3)
			.mapToObj((id) -> new InstanceSpec(null, Ports.free(), Ports.free(), Ports.free(), true, id))
			.toList();
	}

	private @Nullable Void count(Instance instance, CountDownLatch underWay, AtomicBoolean restarted) {
		int left = AFTERWARDS;
		while (left > 0) {
			instance.template().executeWithoutResult(REQUEST, (lock) -> this.counter.increment());
			this.counted.incrementAndGet();
			underWay.countDown();
			if (restarted.get()) {
				left--;
			}
		}
		return null;
	}

	private static @Nullable InstanceSpec leaderOf(TestingCluster cluster) {
		for (InstanceSpec each : cluster.getInstances()) {
			if (FourLetterWord.ask(each.getPort(), "srvr").contains("Mode: leader")) {
				return each;
			}
		}
		return null;
	}

}

package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for waits that last several session timeouts, on a line with a known delay: the
 * lease is still good when the lock becomes free, so that the grant needs no round trip
 * and no pause.
 */
@Timeout(60)
class LongWaitTests {

	private static final Duration SESSION = Duration.ofSeconds(4);

	private static final Duration ONE_WAY = Duration.ofMillis(100);

	private static final int LOCKS = 5;

	private LocalServer server;

	private ZooKeeperProxy proxy;

	private Instance holder;

	private Instance waiter;

	@BeforeEach
	void connect() throws Exception {
		this.server = new LocalServer();
		this.proxy = ZooKeeperProxy.to(this.server.port());
		this.holder = Instance.connectedTo(this.server.connectString());
		this.waiter = Instance.connectedTo(this.proxy.connectString(), SESSION);
		this.waiter.template().acquire(request(0)).close();
	}

	@AfterEach
	void disconnect() throws Exception {
		this.waiter.close();
		this.holder.close();
		this.proxy.close();
		this.server.close();
	}

	@Test
	void endWithinOneRoundTripOfTheRelease() throws Exception {
		List<LockHandle> held = new ArrayList<>();
		List<CompletableFuture<Long>> waiting = new ArrayList<>();
		for (int lock = 0; lock < LOCKS; lock++) {
			LockRequest request = request(lock);
			held.add(this.holder.template().acquire(request).detach());
			waiting.add(CompletableFuture.supplyAsync(() -> grantedAt(request), (task) -> new Thread(task).start()));
		}
		this.proxy.delay(ONE_WAY);
		await().atMost(SESSION.multipliedBy(5))
			.during(SESSION.multipliedBy(3))
			.until(() -> waiting.stream().noneMatch(CompletableFuture::isDone));
		List<Duration> handOvers = new ArrayList<>();
		for (int lock = 0; lock < LOCKS; lock++) {
			long releasedAt = System.nanoTime();
			held.get(lock).close();
			handOvers.add(Duration.ofNanos(waiting.get(lock).get(10, TimeUnit.SECONDS) - releasedAt));
		}
		// A busy machine makes some of them longer, a further round trip all of them.
		assertThat(handOvers).allSatisfy((handOver) -> assertThat(handOver).isGreaterThanOrEqualTo(ONE_WAY))
			.anySatisfy((handOver) -> assertThat(handOver).isLessThanOrEqualTo(ONE_WAY.multipliedBy(2)));
	}

	/**
	 * Acquire a lock, and release it without waiting for the answer.
	 */
	private long grantedAt(LockRequest request) {
		LockHandle granted = this.waiter.template().acquire(request);
		long now = System.nanoTime();
		assertThat(granted.isValid()).isTrue();
		granted.close();
		return now;
	}

	private static LockRequest request(int lock) {
		return LockRequest.exclusive("long-wait").withKey(lock).withWaitTime(Duration.ofSeconds(60));
	}

}

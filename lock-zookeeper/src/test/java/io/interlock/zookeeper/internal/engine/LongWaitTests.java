package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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
 * Tests for waits that last longer than a session timeout, on a line with a delay: the
 * lease is still good when the lock becomes free, so that the grant needs no round trip
 * and no pause.
 */
@Timeout(60)
class LongWaitTests {

	private static final Duration SESSION = Duration.ofSeconds(2);

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
	void endAtTheReleaseWithoutAnotherRequest() throws Exception {
		List<LockHandle> held = new ArrayList<>();
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (int lock = 0; lock < LOCKS; lock++) {
			LockRequest request = request(lock);
			held.add(this.holder.template().acquire(request).detach());
			waiting.add(CompletableFuture.supplyAsync(() -> this.waiter.template().acquire(request).detach(),
					(task) -> new Thread(task).start()));
		}
		this.proxy.delay(ONE_WAY);
		await().atMost(SESSION.multipliedBy(10))
			.during(SESSION.multipliedBy(2))
			.until(() -> waiting.stream().noneMatch(CompletableFuture::isDone));
		List<Boolean> granted = new ArrayList<>();
		for (int lock = 0; lock < LOCKS; lock++) {
			granted.add(isGrantedWithoutARequest(held.get(lock), waiting.get(lock)));
		}
		// A lease may be old on a machine that stands still, but not for all of them.
		assertThat(granted).contains(true);
	}

	/**
	 * Let the waiter hear of a release while nothing that it asks reaches the servers.
	 */
	private boolean isGrantedWithoutARequest(LockHandle held, CompletableFuture<LockHandle> waiting) throws Exception {
		this.proxy.holdRequests();
		held.close();
		boolean granted = isGranted(waiting);
		this.proxy.heal();
		LockHandle next = waiting.get(30, TimeUnit.SECONDS);
		assertThat(granted || next.isValid()).isTrue();
		next.close();
		return granted;
	}

	private static boolean isGranted(CompletableFuture<LockHandle> waiting) throws Exception {
		try {
			return waiting.get(SESSION.toMillis(), TimeUnit.MILLISECONDS).isValid();
		}
		catch (TimeoutException ex) {
			return false;
		}
	}

	private static LockRequest request(int lock) {
		return LockRequest.exclusive("long-wait").withKey(lock).withWaitTime(Duration.ofSeconds(60));
	}

}

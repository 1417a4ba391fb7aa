package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.Ports;
import org.apache.curator.test.TestingServer;
import org.assertj.core.api.Condition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that threads of one instance do not wait for each other's locks in a circle.
 */
@Timeout(60)
@SuppressWarnings("try")
class LockCircleTests {

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private TestingServer server;

	private Instance instance;

	@BeforeEach
	void start() throws Exception {
		this.server = new TestingServer(Ports.free());
		this.instance = Instance.connectedTo(this.server.getConnectString());
	}

	@AfterEach
	void stop() throws Exception {
		this.threads.shutdownNow();
		this.instance.close();
		this.server.close();
	}

	@Test
	@Proves(Promise.WAITS_THAT_CANNOT_END)
	void circleOfTwoIsRefusedAndTheOtherThreadGoesOn() throws Exception {
		CountDownLatch bothHold = new CountDownLatch(2);
		Future<String> one = this.threads.submit(() -> take("a", "b", bothHold));
		Future<String> two = this.threads.submit(() -> take("b", "a", bothHold));
		List<String> results = List.of(one.get(), two.get());
		assertThat(results)
			.haveAtLeastOne(new Condition<>((result) -> result.startsWith("Waiting for lock"), "refused"));
		assertThat(results).filteredOn((result) -> result.startsWith("Waiting"))
			.allSatisfy((message) -> assertThat(message).contains("would never end")
				.contains("waits for a, which thread")
				.contains("waits for b, which thread"));
	}

	@Test
	@Proves(Promise.WAITS_THAT_CANNOT_END)
	void circleOfThreeIsRefused() throws Exception {
		CountDownLatch allHold = new CountDownLatch(3);
		List<Future<String>> all = List.of(this.threads.submit(() -> take("a", "b", allHold)),
				this.threads.submit(() -> take("b", "c", allHold)), this.threads.submit(() -> take("c", "a", allHold)));
		assertThat(all).extracting(Future::get)
			.haveAtLeastOne(new Condition<>((result) -> result.startsWith("Waiting for lock"), "refused"));
	}

	@Test
	@Proves(Promise.WAITS_THAT_CANNOT_END)
	void readersNeverWaitInACircle() throws Exception {
		CountDownLatch bothHold = new CountDownLatch(2);
		Future<String> one = this.threads.submit(() -> share("a", "b", bothHold));
		Future<String> two = this.threads.submit(() -> share("b", "a", bothHold));
		assertThat(List.of(one.get(), two.get())).containsOnly("done");
	}

	@Test
	void tryDoesNotWaitSoItIsNoCircle() throws Exception {
		CountDownLatch held = new CountDownLatch(1);
		CountDownLatch waiting = new CountDownLatch(1);
		Future<?> other = this.threads.submit(() -> {
			try (LockHandle b = this.instance.template().acquire(LockRequest.exclusive("b"))) {
				held.countDown();
				waiting.await();
				this.instance.template().acquire(forever("a")).close();
			}
			return null;
		});
		try (LockHandle a = this.instance.template().acquire(LockRequest.exclusive("a"))) {
			held.await();
			waiting.countDown();
			assertThat(this.instance.template().tryAcquire(LockRequest.exclusive("b").withWaitTime(Duration.ZERO)))
				.isEmpty();
		}
		other.get(10, TimeUnit.SECONDS);
	}

	@Test
	void waitForOneselfOnAnotherThreadIsSeen() throws Exception {
		try (LockHandle a = this.instance.template().acquire(LockRequest.exclusive("a"))) {
			CountDownLatch held = new CountDownLatch(1);
			Future<?> other = this.threads.submit(() -> {
				try (LockHandle b = this.instance.template().acquire(LockRequest.exclusive("b"))) {
					held.countDown();
					this.instance.template().acquire(forever("a")).close();
				}
				return null;
			});
			held.await();
			Awaitility.await()
				.until(() -> this.instance.heldLocks()
					.waiting()
					.stream()
					.anyMatch((wait) -> wait.id().name().equals("a")));
			assertThatExceptionOfType(LockException.class)
				.isThrownBy(() -> this.instance.template().acquire(forever("b")))
				.withMessageContaining("would never end");
			a.close();
			other.get(10, TimeUnit.SECONDS);
		}
	}

	private String take(String first, String second, CountDownLatch allHold) throws Exception {
		return take(LockRequest.exclusive(first), forever(second), allHold);
	}

	private String share(String first, String second, CountDownLatch allHold) throws Exception {
		return take(LockRequest.shared(first), LockRequest.shared(second), allHold);
	}

	private String take(LockRequest first, LockRequest second, CountDownLatch allHold) throws Exception {
		try (LockHandle outer = this.instance.template().acquire(first)) {
			allHold.countDown();
			allHold.await();
			try (LockHandle inner = this.instance.template().acquire(second)) {
				return "done";
			}
		}
		catch (LockException ex) {
			return ex.getMessage();
		}
	}

	private static LockRequest forever(String name) {
		return LockRequest.exclusive(name).withWaitTime(LockRequest.FOREVER);
	}

}

package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.interlock.LockHandle;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.queue.QueueSettings;
import io.interlock.template.LockContext;
import io.interlock.template.LockHandles;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.Operation;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.testsupport.thread.Background;
import io.interlock.testsupport.tier.Deep;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for several locks at once on a real server, on a line with a known delay.
 */
@Timeout(300)
@ExtendWith(SharedServer.class)
@SuppressWarnings("try")
class LockGroupOnZooKeeperTests {

	/**
	 * Long beside the work of a busy machine for ten locks.
	 */
	private static final Duration ROUND_TRIP = Duration.ofMillis(20);

	private static final int LOCKS = 10;

	private static final int WARM_UP_ROUNDS = 100;

	private static final int ROUNDS = 25;

	private static final int SERIES = 8;

	private static final double MOST = 1.5;

	private static final int TRIES = 50;

	private static final QueueSettings QUEUE = new QueueSettings(true, Map.of(), Duration.ofMillis(50),
			Integer.MAX_VALUE, Integer.MAX_VALUE);

	private ZooKeeperProxy proxy;

	private Instance instance;

	private Instance other;

	private LocalServer server;

	@BeforeEach
	void connect(LocalServer server) {
		this.server = server;
		this.proxy = ZooKeeperProxy.to(server.port());
		this.instance = Instance.queueing(this.proxy.connectString(), Duration.ofSeconds(30),
				Instance.settings().withWritesUnderWay(WriteWindow.MOST), QUEUE);
		this.other = Instance.connectedTo(server.connectString());
		this.instance.template().acquireAll(requests("warm-up")).close();
	}

	@AfterEach
	void disconnect() {
		this.proxy.heal();
		this.other.close();
		this.instance.close();
		this.proxy.close();
	}

	/**
	 * On a line of more than a millisecond no request of a lock waits for an answer to
	 * another lock.
	 */
	@Test
	void tenFreeLocksAreAskedForInTheRoundTripOfOne() throws Exception {
		List<LockRequest> ten = requests("asked");
		long ofOne = requestsBeforeAnAnswer(
				() -> this.instance.template().acquire(LockRequest.exclusive("asked").withKey("one")).close(), 1);
		long ofTen = requestsBeforeAnAnswer(() -> this.instance.template().acquireAll(ten).close(), LOCKS);
		assertThat(ofTen).isEqualTo(LOCKS * ofOne);
	}

	private long requestsBeforeAnAnswer(Runnable acquisition, int locks) throws Exception {
		acquisition.run();
		this.proxy.forget();
		this.proxy.holdReplies();
		Background<Boolean> acquiring = Background.start(() -> {
			acquisition.run();
			return true;
		});
		await().until(() -> this.proxy.count(Operation.GET_CHILDREN2) == locks);
		long requests = this.proxy.requests().size();
		assertThat(acquiring.isRunning()).isTrue();
		this.proxy.heal();
		acquiring.join();
		return requests;
	}

	/**
	 * A series on a busy machine may be spoilt, so the best one of some counts.
	 */
	@Deep
	@Test
	void tenFreeLocksCostAboutAsMuchAsOne() {
		List<LockRequest> ten = requests("free");
		LockRequest one = LockRequest.exclusive("free").withKey("one");
		try (TcpProxy line = TcpProxy.to(this.server.port());
				Instance far = Instance.queueing(line.connectString(), Duration.ofSeconds(30), QUEUE)) {
			compare(far, one, ten, WARM_UP_ROUNDS);
			line.delay(ROUND_TRIP.dividedBy(2));
			List<Double> ratios = new ArrayList<>();
			do {
				ratios.add(compare(far, one, ten, ROUNDS));
			}
			while (Collections.min(ratios) > MOST && ratios.size() < SERIES);
			assertThat(Collections.min(ratios)).as("ten locks, in times of one: %s", ratios).isBetween(0.5, MOST);
		}
	}

	/**
	 * Acquire one lock and ten locks in turns.
	 * @return how many times as long ten take
	 */
	private static double compare(Instance instance, LockRequest one, List<LockRequest> ten, int rounds) {
		List<Long> timesOfOne = new ArrayList<>();
		List<Long> timesOfTen = new ArrayList<>();
		for (int round = 0; round < rounds; round++) {
			timesOfOne.add(nanos(() -> instance.template().acquire(one), LockHandle::close));
			timesOfTen.add(nanos(() -> instance.template().acquireAll(ten), LockHandles::close));
		}
		return (double) median(timesOfTen) / median(timesOfOne);
	}

	/**
	 * A hold of more than 100 ms costs a read, and a pause costs a beat, so a use during
	 * which the machine stood still does not count.
	 */
	@Test
	void aFreeLockCostsAsManyRequestsAsIfItWereAlone() {
		long took;
		int tries = 0;
		do {
			this.proxy.forget();
			long startedAt = System.nanoTime();
			this.instance.template().acquireAll(requests("warm-up")).close();
			took = System.nanoTime() - startedAt;
			tries++;
		}
		while ((took > TimeUnit.MILLISECONDS.toNanos(100) || beats() > 0) && tries < TRIES);
		assertThat(this.proxy.count(Operation.CREATE2)).isEqualTo(LOCKS);
		assertThat(this.proxy.roundTrips()).isEqualTo(3 * LOCKS);
	}

	private long beats() {
		return this.proxy.count(Operation.MULTI) + this.proxy.count(Operation.SYNC);
	}

	@Test
	void aGroupWaitsForTheOneThatIsHeldAndLeavesTheRestFree() throws Exception {
		List<LockRequest> requests = requests("busy");
		LockHandle held = this.other.template().acquire(requests.get(5));
		Background<LockHandles> group = Background.start(() -> {
			LockHandles locks = this.instance.template().acquireAll(requests);
			locks.close();
			return locks;
		});
		await().until(() -> this.server.contenders(requests.get(5)).size() == 2);
		this.other.template().acquire(requests.get(9).withWaitTime(Duration.ofSeconds(5))).close();
		assertThat(this.other.template().tryAcquire(requests.get(4).withWaitTime(Duration.ZERO))).isEmpty();
		held.close();
		assertThat(group.join().handles()).hasSize(LOCKS);
	}

	@Test
	@Proves(Promise.WAITS_THAT_CANNOT_END)
	void aGroupThatIsRefusedLeavesNothingBehind() {
		List<LockRequest> requests = requests("refused");
		try (LockHandle held = this.other.template().acquire(requests.get(5))) {
			List<LockRequest> trying = requests.stream()
				.map((request) -> request.withWaitTime(Duration.ofSeconds(2)))
				.toList();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.instance.template().acquireAll(trying))
				.satisfies((ex) -> assertThat(ex.lockId()).isEqualTo(held.id()));
			await().untilAsserted(() -> assertThat(requests).allMatch(
					(request) -> this.server.contenders(request).size() == (request.id().equals(held.id()) ? 1 : 0)));
			assertThat(this.instance.heldLocks().held()).isEmpty();
			assertThat(this.instance.queue().queues()).isEmpty();
		}
	}

	@Test
	@Proves(Promise.WAITS_THAT_CANNOT_END)
	void aTryThatIsRefusedIsEmptyAndLeavesNothingBehind() {
		List<LockRequest> requests = requests("tried");
		try (LockHandle held = this.other.template().acquire(requests.get(5))) {
			assertThat(this.instance.template().tryAcquireAll(requests)).isEmpty();
			assertThat(LockContext.find(requests.get(4))).isEmpty();
			await().untilAsserted(() -> assertThat(requests).allMatch(
					(request) -> this.server.contenders(request).size() == (request.id().equals(held.id()) ? 1 : 0)));
		}
		try (LockHandles locks = this.instance.template().tryAcquireAll(requests).orElseThrow()) {
			locks.verify();
			assertThat(requests).allSatisfy((request) -> assertThat(LockContext.find(request)).hasValueSatisfying(
					(lock) -> assertThat(lock.fencingToken()).isEqualTo(locks.handle(request.id()).fencingToken())));
		}
	}

	@Test
	void aTryInAnOutageIsNoRefusal() {
		List<LockRequest> requests = requests("outage");
		this.proxy.blackHole();
		assertThatExceptionOfType(LockServiceUnavailableException.class)
			.isThrownBy(() -> this.instance.template(Duration.ofSeconds(1)).tryAcquireAll(requests));
	}

	private static <T> long nanos(Supplier<T> acquire, Consumer<T> release) {
		long start = System.nanoTime();
		T acquired = acquire.get();
		long nanos = System.nanoTime() - start;
		release.accept(acquired);
		return nanos;
	}

	private static long median(List<Long> times) {
		List<Long> sorted = new ArrayList<>(times);
		Collections.sort(sorted);
		return sorted.get(sorted.size() / 2);
	}

	private static List<LockRequest> requests(String name) {
		return IntStream.range(0, LOCKS).mapToObj(LockRequest.exclusive(name)::withKey).toList();
	}

}

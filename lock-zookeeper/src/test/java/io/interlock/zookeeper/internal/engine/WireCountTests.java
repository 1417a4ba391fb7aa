package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.template.LockTemplate;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.Operation;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.zookeeper.Recipe;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what {@link ZooKeeperLockProvider} asks of the servers, counted on the wire.
 */
class WireCountTests {

	private static final LockRequest ORDERS = LockRequest.exclusive("orders").withKey(42);

	private static final int IN_A_ROW = 50;

	private static final int TRIES = 20;

	private static final int TURNS = 200;

	private LocalServer server;

	private ZooKeeperProxy proxy;

	private Instance instance;

	@BeforeEach
	void connect() throws Exception {
		this.server = new LocalServer();
		this.proxy = ZooKeeperProxy.to(this.server.port());
		this.instance = Instance.with(this.proxy.connectString(), Duration.ofSeconds(30),
				Instance.settings().withWritesUnderWay(WriteWindow.MOST));
		this.instance.template().acquire(ORDERS).close();
		this.proxy.forget();
	}

	@AfterEach
	void disconnect() throws Exception {
		this.instance.close();
		this.proxy.close();
		this.server.close();
	}

	private static Instance instance(String connectString, Recipe recipe) {
		return Instance.with(connectString, Duration.ofSeconds(30), Instance.settings(recipe, Map.of()));
	}

	/**
	 * Return what a use of the lock asks. A hold of more than 100 ms costs a read, so a
	 * use during which the machine stood still does not count.
	 * @param use what to do; returns how many nanoseconds a hold has lasted at most
	 */
	private List<Operation> requestsOf(Callable<Long> use) throws Exception {
		long longest;
		int tries = 0;
		do {
			this.proxy.forget();
			longest = use.call();
			tries++;
		}
		while (longest > TimeUnit.MILLISECONDS.toNanos(100) && tries < TRIES);
		return this.proxy.requests();
	}

	private long use(LockRequest request) {
		long startedAt = System.nanoTime();
		this.instance.template().executeWithoutResult(request, (lock) -> {
		});
		return System.nanoTime() - startedAt;
	}

	@Test
	void uncontendedLockIsCreatedListedAndDeleted() throws Exception {
		List<Operation> requests = requestsOf(() -> use(ORDERS));
		assertThat(requests).containsExactly(Operation.CREATE2, Operation.GET_CHILDREN2, Operation.DELETE);
	}

	@Test
	void queueIsListedBeforeTheCreationIsAnswered() throws Exception {
		List<Operation> pipelined = List.of(Operation.CREATE2, Operation.GET_CHILDREN2);
		List<Operation> requests = requestsOf(() -> {
			this.proxy.holdReplies();
			Thread holder = new Thread(() -> this.instance.template().acquire(ORDERS).close());
			holder.start();
			await().untilAsserted(() -> assertThat(this.proxy.requests()).isEqualTo(pipelined));
			long healedAt = System.nanoTime();
			this.proxy.heal();
			holder.join();
			return System.nanoTime() - healedAt;
		});
		assertThat(requests).containsExactly(Operation.CREATE2, Operation.GET_CHILDREN2, Operation.DELETE);
	}

	@Test
	void sharedLockIsCreatedListedAndDeleted() throws Exception {
		LockRequest shared = LockRequest.shared("orders").withKey(42);
		List<Operation> requests = requestsOf(() -> use(shared));
		assertThat(requests).containsExactly(Operation.CREATE2, Operation.GET_CHILDREN2, Operation.DELETE);
	}

	@Test
	void reentranceCostsNothing() throws Exception {
		List<Operation> requests = requestsOf(() -> {
			long startedAt = System.nanoTime();
			try (LockHandle outer = this.instance.template().acquire(ORDERS);
					LockHandle inner = this.instance.template().acquire(ORDERS)) {
				assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
			}
			return System.nanoTime() - startedAt;
		});
		assertThat(requests).containsExactly(Operation.CREATE2, Operation.GET_CHILDREN2, Operation.DELETE);
	}

	@ParameterizedTest
	@EnumSource(Recipe.class)
	@Proves(Promise.THE_DEADLINE)
	void attemptWithoutWaitingOnHeldLockIsOneRead(Recipe recipe) throws Exception {
		try (Instance holder = instance(this.server.connectString(), recipe);
				Instance other = instance(this.proxy.connectString(), recipe);
				LockHandle held = holder.template().acquire(ORDERS)) {
			assertThat(other.client().blockUntilConnected(10, TimeUnit.SECONDS)).isTrue();
			this.proxy.forget();
			assertThat(other.template().tryAcquire(ORDERS.withWaitTime(Duration.ZERO))).isEmpty();
			assertThat(held.isValid()).isTrue();
			assertThat(this.proxy.requests()).containsExactly(Operation.GET_CHILDREN2);
		}
	}

	@Test
	void attemptWithoutWaitingOnLockThatIsQueuedForIsOneRead() throws Exception {
		try (Instance holder = Instance.connectedTo(this.server.connectString())) {
			LockRequest shared = LockRequest.shared("orders").withKey(42);
			LockHandle held = holder.template().acquire(shared);
			Thread waiter = new Thread(() -> holder.template().acquire(ORDERS).close());
			waiter.start();
			await().until(() -> this.server.contenders(ORDERS).size() == 2);
			assertThat(this.instance.template().tryAcquire(shared.withWaitTime(Duration.ZERO))).isEmpty();
			held.close();
			waiter.join();
		}
		assertThat(this.proxy.requests()).containsExactly(Operation.GET_CHILDREN2);
	}

	@Test
	void attemptWithoutWaitingOnLockThatIsOnlyKeptIsOneRead() {
		try (Instance holder = Instance.connectedTo(this.server.connectString())) {
			holder.template().acquire(ORDERS.withMinHold(Duration.ofMinutes(10))).close();
			await().until(() -> this.server.contenders(ORDERS).stream().allMatch((name) -> name.startsWith("kept-")));
			assertThat(this.instance.template().tryAcquire(ORDERS.withWaitTime(Duration.ZERO))).isEmpty();
			assertThat(this.proxy.requests()).containsExactly(Operation.GET_CHILDREN2);
			holder.heldLocks().releaseKept();
			await().until(() -> this.server.contenders(ORDERS).isEmpty());
			this.instance.template().tryAcquire(ORDERS.withWaitTime(Duration.ZERO)).orElseThrow().close();
		}
	}

	@Test
	void attemptWithoutWaitingOnFreeLockIsReadCreatedListedAndDeleted() throws Exception {
		List<Operation> requests = requestsOf(() -> use(ORDERS.withWaitTime(Duration.ZERO)));
		assertThat(requests).containsExactly(Operation.GET_CHILDREN2, Operation.CREATE2, Operation.GET_CHILDREN2,
				Operation.DELETE);
	}

	@Test
	void attemptWithoutWaitingSharesAHeldLock() {
		LockRequest shared = LockRequest.shared("orders").withKey(42);
		try (Instance holder = Instance.connectedTo(this.server.connectString());
				LockHandle held = holder.template().acquire(shared)) {
			assertThat(this.instance.template().tryAcquire(shared.withWaitTime(Duration.ZERO)))
				.hasValueSatisfying(LockHandle::close);
			assertThat(held.isValid()).isTrue();
		}
	}

	@Test
	void attemptWithoutWaitingOnLockThatNobodyEverUsedGetsIt() {
		LockRequest unused = LockRequest.exclusive("unused").withWaitTime(Duration.ZERO);
		assertThat(this.instance.template().tryAcquire(unused)).hasValueSatisfying(LockHandle::close);
	}

	@Test
	void handingOverAndTryingWhatIsHeldHereCostNothing() throws Exception {
		QueueSettings settings = new QueueSettings(true, Map.of(), Duration.ofMinutes(10), 100, 100);
		try (Instance queueing = Instance.queueing(this.proxy.connectString(), Duration.ofSeconds(30), settings)) {
			LockHandle held = queueing.template().acquire(ORDERS);
			// The one read of a hold that is older than 100 ms.
			await().until(() -> this.proxy.count(Operation.EXISTS) == 1);
			this.proxy.forget();
			CompletableFuture<LockHandle> next = CompletableFuture
				.supplyAsync(() -> queueing.template().acquire(ORDERS));
			await().until(() -> queueing.queue().queues().get(0).waiting() == 1);
			CompletableFuture<Optional<LockHandle>> tried = CompletableFuture
				.supplyAsync(() -> queueing.template().tryAcquire(ORDERS.withWaitTime(Duration.ZERO)));
			assertThat(tried.get(10, TimeUnit.SECONDS)).isEmpty();
			held.close();
			LockHandle handedOver = next.get(10, TimeUnit.SECONDS);
			assertThat(handedOver.fencingToken()).isEqualTo(held.fencingToken());
			assertThat(this.proxy.requests()).isEmpty();
			handedOver.close();
			assertThat(this.proxy.requests()).containsExactly(Operation.DELETE);
		}
	}

	@Test
	void longWaitIsOneWatchingReadOfEachNode() throws Exception {
		try (Instance holder = Instance.connectedTo(this.server.connectString())) {
			LockHandle held = holder.template().acquire(ORDERS);
			Thread waiter = new Thread(() -> this.instance.template().acquire(ORDERS).close());
			waiter.start();
			await().until(() -> this.proxy.count(Operation.EXISTS) == 2);
			held.close();
			waiter.join();
		}
		assertThat(this.proxy.requests()).containsExactly(Operation.CREATE2, Operation.GET_CHILDREN2, Operation.EXISTS,
				Operation.EXISTS, Operation.DELETE);
	}

	@Test
	void freeLocksInARowAreNothingButCreatedListedAndDeleted() throws Exception {
		List<Operation> expected = new ArrayList<>();
		for (int i = 0; i < IN_A_ROW; i++) {
			expected.addAll(List.of(Operation.CREATE2, Operation.GET_CHILDREN2, Operation.DELETE));
		}
		List<Operation> requests = requestsOf(() -> {
			long longest = 0;
			for (int i = 0; i < IN_A_ROW; i++) {
				longest = Math.max(longest, use(ORDERS));
			}
			return longest;
		});
		assertThat(requests).isEqualTo(expected);
		assertThat(this.proxy.count(Operation.MULTI)).as("checks of nodes").isLessThan(IN_A_ROW);
		assertThat(this.proxy.count(Operation.SYNC)).as("beats of the lease").isLessThan(IN_A_ROW);
	}

	@Test
	void waiterIsGrantedOnOneEventWithoutAnotherListing() throws Exception {
		try (Instance holder = Instance.connectedTo(this.server.connectString())) {
			LockHandle held = holder.template().acquire(ORDERS);
			List<Operation> traffic = trafficWithEvents();
			CompletableFuture<List<Operation>> untilGranted = trafficUntilGranted(traffic);
			await().until(() -> this.proxy.count(Operation.EXISTS) == 2);
			// Its two, and that of a hold that is older than 100 ms.
			await().until(() -> this.server.watches() == 3);
			traffic.addAll(this.proxy.requests());
			this.proxy.forget();
			held.close();
			assertThat(untilGranted.get(10, TimeUnit.SECONDS)).containsExactly(Operation.CREATE2,
					Operation.GET_CHILDREN2, Operation.EXISTS, Operation.EXISTS, Operation.WATCH_EVENT);
		}
	}

	@Test
	void handOverBetweenInstancesIsADeletionAndOneEvent() throws Exception {
		try (ZooKeeperProxy toHolder = ZooKeeperProxy.to(this.server.port());
				Instance holder = Instance.connectedTo(toHolder.connectString())) {
			LockHandle held = holder.template().acquire(ORDERS);
			List<Operation> traffic = trafficWithEvents();
			CompletableFuture<List<Operation>> untilGranted = trafficUntilGranted(traffic);
			await().until(() -> this.proxy.count(Operation.EXISTS) == 2);
			// The one read of a hold that is older than 100 ms.
			await().until(() -> toHolder.count(Operation.EXISTS) == 1);
			await().until(() -> this.server.watches() == 3);
			toHolder.forget();
			this.proxy.forget();
			held.close();
			assertThat(untilGranted.get(10, TimeUnit.SECONDS)).containsExactly(Operation.WATCH_EVENT);
			assertThat(toHolder.requests()).containsExactly(Operation.DELETE);
			await().until(() -> this.proxy.count(Operation.DELETE) == 1);
			assertThat(this.proxy.count(Operation.GET_CHILDREN2)).as("listings").isZero();
		}
	}

	@Test
	void queueIsListedAheadWhileTheNodeInFrontHoldsTheLock() throws Exception {
		try (Instance other = Instance.connectedTo(this.server.connectString())) {
			List<CompletableFuture<LockHandle>> inFront = queueUp(other, 3);
			List<Operation> traffic = trafficWithEvents();
			CompletableFuture<List<Operation>> untilGranted = trafficUntilGranted(traffic);
			await().until(() -> this.proxy.count(Operation.EXISTS) == 3);
			inFront.get(0).get(10, TimeUnit.SECONDS).close();
			LockHandle second = inFront.get(1).get(10, TimeUnit.SECONDS);
			assertThat(traffic).as("events of a node that is not watched").isEmpty();
			second.close();
			LockHandle third = inFront.get(2).get(10, TimeUnit.SECONDS);
			await().until(() -> this.proxy.count(Operation.GET_CHILDREN2) == 2);
			await().until(() -> this.server.watches() == 3);
			traffic.clear();
			this.proxy.forget();
			third.close();
			assertThat(untilGranted.get(10, TimeUnit.SECONDS)).containsExactly(Operation.WATCH_EVENT);
		}
	}

	@Test
	void queueIsNotListedAgainWhenTwoNodesInFrontGo() throws Exception {
		try (Instance other = Instance.connectedTo(this.server.connectString())) {
			List<CompletableFuture<LockHandle>> inFront = queueUp(other, 2);
			CompletableFuture<List<Operation>> untilGranted = trafficUntilGranted(List.of());
			await().until(() -> this.proxy.count(Operation.EXISTS) == 3);
			await().until(() -> this.server.watches() == 5);
			inFront.get(0).get(10, TimeUnit.SECONDS).close();
			inFront.get(1).get(10, TimeUnit.SECONDS).close();
			assertThat(untilGranted.get(10, TimeUnit.SECONDS)).containsExactly(Operation.CREATE2,
					Operation.GET_CHILDREN2, Operation.EXISTS, Operation.EXISTS, Operation.EXISTS);
		}
	}

	@Test
	@Proves(value = Promise.EXCLUSION, under = Fault.CALLERS_GIVE_UP)
	void waiterStaysBehindTheHolderWhenTheNodeBetweenThemGoes() throws Exception {
		try (Instance other = Instance.connectedTo(this.server.connectString())) {
			List<CompletableFuture<LockHandle>> inFront = queueUp(other, 2);
			CompletableFuture<List<Operation>> untilGranted = trafficUntilGranted(List.of());
			await().until(() -> this.proxy.count(Operation.EXISTS) == 3);
			inFront.get(1).cancel(true);
			await().until(() -> this.server.contenders(ORDERS).size() == 2);
			await().during(Duration.ofMillis(300)).until(() -> !untilGranted.isDone());
			inFront.get(0).get(10, TimeUnit.SECONDS).close();
			assertThat(untilGranted.get(10, TimeUnit.SECONDS)).contains(Operation.CREATE2);
		}
	}

	@Test
	void turnBetweenFourInstancesIsSevenRequestsAndTenPackets() throws Exception {
		List<ZooKeeperProxy> proxies = new ArrayList<>();
		List<Instance> instances = new ArrayList<>();
		try {
			for (int i = 0; i < 4; i++) {
				proxies.add(ZooKeeperProxy.to(this.server.port()));
				instances.add(Instance.connectedTo(proxies.get(i).connectString()));
				instances.get(i).template().acquire(ORDERS).close();
			}
			Map<Operation, Integer> packets = takeTurns(instances, proxies);
			int back = packets.values().stream().mapToInt(Integer::intValue).sum();
			int requests = back - packets.get(Operation.WATCH_EVENT);
			assertThat(requests / (double) TURNS).as("requests a turn: %s", packets).isLessThan(7.3);
			assertThat(back / (double) TURNS).as("packets back a turn: %s", packets).isLessThan(10.3);
		}
		finally {
			instances.forEach(Instance::close);
			proxies.forEach(ZooKeeperProxy::close);
		}
	}

	/** Let instances take turns, and count what they ask, and the events. */
	private static Map<Operation, Integer> takeTurns(List<Instance> instances, List<ZooKeeperProxy> proxies) {
		AtomicInteger events = new AtomicInteger();
		proxies.forEach((proxy) -> countEvents(proxy, events));
		proxies.forEach(ZooKeeperProxy::forget);
		AtomicInteger left = new AtomicInteger(TURNS);
		CompletableFuture.allOf(instances.stream().map((instance) -> CompletableFuture.runAsync(() -> {
			while (left.getAndDecrement() > 0) {
				instance.template().acquire(ORDERS).close();
			}
		}, (task) -> new Thread(task).start())).toArray(CompletableFuture[]::new)).join();
		Map<Operation, Integer> packets = new EnumMap<>(Operation.class);
		proxies.forEach((proxy) -> proxy.requests().forEach((request) -> packets.merge(request, 1, Integer::sum)));
		packets.put(Operation.WATCH_EVENT, events.get());
		return packets;
	}

	private static void countEvents(ZooKeeperProxy proxy, AtomicInteger events) {
		proxy.onNextReply(Operation.WATCH_EVENT, () -> {
			events.incrementAndGet();
			countEvents(proxy, events);
		});
	}

	private static List<LockRequest> ownKeys(int count) {
		return IntStream.range(0, count)
			.mapToObj((key) -> LockRequest.exclusive("orders").withKey("own-" + key))
			.toList();
	}

	/** An operator deletes a node, and so the transaction that deletes it is refused. */
	@Test
	void tryAfterAReleaseIsGrantedWhereItsTransactionIsRefused() throws Exception {
		List<LockRequest> requests = ownKeys(WriteWindow.MOST + 2);
		LockTemplate impatient = this.instance.template(Duration.ofMillis(1));
		List<LockHandle> held = requests.stream().map(impatient::acquire).toList();
		LockRequest deleted = requests.get(WriteWindow.MOST);
		LockRequest released = requests.get(WriteWindow.MOST + 1);
		this.proxy.forget();
		this.proxy.holdReplies();
		this.server.observer()
			.delete()
			.forPath(LocalServer.pathOf(deleted) + "/" + this.server.contenders(deleted).get(0));
		held.forEach(LockHandle::close);
		CompletableFuture<LockHandle> attempt = this.instance.template()
			.acquireAsync(released.withWaitTime(Duration.ZERO));
		assertThat(this.proxy.count(Operation.GET_CHILDREN2)).isZero();
		this.proxy.heal();
		attempt.get(10, TimeUnit.SECONDS).close();
		assertThat(this.proxy.count(Operation.MULTI)).as("transactions").isEqualTo(1);
		assertThat(this.proxy.count(Operation.DELETE)).isEqualTo(WriteWindow.MOST + 3);
	}

	@Test
	void whatIsReadyWhileEnoughIsUnderWayTravelsTogether() throws Exception {
		int together = 10;
		List<LockRequest> requests = ownKeys(WriteWindow.MOST + together);
		requests.forEach((request) -> this.instance.template().acquire(request).close());
		await().until(() -> requests.stream().map(this.server::contenders).allMatch(List::isEmpty));
		this.proxy.forget();
		this.proxy.holdReplies();
		List<CompletableFuture<LockHandle>> attempts = requests.stream()
			.map((request) -> this.instance.template().acquireAsync(request))
			.toList();
		await().until(() -> this.proxy.count(Operation.CREATE2) == WriteWindow.MOST);
		this.proxy.heal();
		List<LockHandle> held = new ArrayList<>();
		for (CompletableFuture<LockHandle> attempt : attempts) {
			held.add(attempt.get(10, TimeUnit.SECONDS));
		}
		assertThat(this.proxy.count(Operation.CREATE2)).isEqualTo(WriteWindow.MOST);
		assertThat(this.proxy.count(Operation.MULTI)).as("transactions").isEqualTo(1);
		assertThat(this.proxy.count(Operation.GET_CHILDREN2)).isEqualTo(requests.size());
		for (LockHandle handle : held) {
			LockRequest request = requests.get(held.indexOf(handle));
			String node = this.server.contenders(request).get(0);
			Stat stat = this.instance.client().checkExists().forPath(LocalServer.pathOf(request) + "/" + node);
			assertThat(handle.fencingToken()).isEqualTo(stat.getCzxid());
			assertThat(handle.isValid()).isTrue();
		}
		this.proxy.holdReplies();
		held.forEach((handle) -> new Thread(handle::close).start());
		await().until(() -> this.proxy.count(Operation.DELETE) == WriteWindow.MOST);
		this.proxy.heal();
		await().until(() -> requests.stream().map(this.server::contenders).allMatch(List::isEmpty));
		assertThat(this.proxy.count(Operation.DELETE)).isEqualTo(WriteWindow.MOST);
		assertThat(this.proxy.count(Operation.MULTI)).as("transactions").isEqualTo(2);
	}

	/**
	 * Let attempts queue up one after the other; the first of them gets the lock.
	 */
	private List<CompletableFuture<LockHandle>> queueUp(Instance instance, int attempts) {
		List<CompletableFuture<LockHandle>> queued = new ArrayList<>();
		for (int attempt = 1; attempt <= attempts; attempt++) {
			queued.add(instance.template().acquireAsync(ORDERS.withWaitTime(Duration.ofSeconds(60))));
			int expected = attempt;
			await().until(() -> this.server.contenders(ORDERS).size() == expected);
		}
		return queued;
	}

	/**
	 * Return a list to which the events are added that the servers send from now on.
	 */
	private List<Operation> trafficWithEvents() {
		List<Operation> traffic = new CopyOnWriteArrayList<>();
		this.proxy.onNextReply(Operation.WATCH_EVENT, () -> addEvent(traffic));
		return traffic;
	}

	private void addEvent(List<Operation> traffic) {
		traffic.add(Operation.WATCH_EVENT);
		this.proxy.onNextReply(Operation.WATCH_EVENT, () -> addEvent(traffic));
	}

	/**
	 * Acquire and release the lock.
	 * @return the traffic up to the grant, with the requests that the proxy has not
	 * forgotten at its end
	 */
	private CompletableFuture<List<Operation>> trafficUntilGranted(List<Operation> traffic) {
		return CompletableFuture.supplyAsync(() -> {
			LockHandle granted = this.instance.template().acquire(ORDERS);
			List<Operation> untilGranted = new ArrayList<>(traffic);
			untilGranted.addAll(this.proxy.requests());
			granted.close();
			return untilGranted;
		});
	}

	@Test
	void longHoldIsWatchedOnce() {
		try (LockHandle held = this.instance.template().acquire(ORDERS)) {
			await().until(() -> this.proxy.count(Operation.EXISTS) == 1);
			await().during(Duration.ofMillis(300)).until(held::isValid);
		}
		assertThat(this.proxy.requests()).containsExactly(Operation.CREATE2, Operation.GET_CHILDREN2, Operation.EXISTS,
				Operation.DELETE);
	}

	@Test
	void holdersLeaseIsKeptByWritesThatChangeNothing() throws Exception {
		try (Instance brief = Instance.connectedTo(this.proxy.connectString(), Duration.ofSeconds(6));
				LockHandle held = brief.template().acquire(LockRequest.exclusive("beats"))) {
			await().until(() -> this.proxy.count(Operation.MULTI) >= 3);
			await().until(held::isValid);
		}
	}

	@Test
	void idleInstanceWritesNothing() {
		try (Instance brief = Instance.connectedTo(this.proxy.connectString(), Duration.ofSeconds(6))) {
			brief.template().acquire(LockRequest.exclusive("idle")).close();
			await().until(() -> this.proxy.count(Operation.SYNC) >= 1);
			this.proxy.forget();
			await().until(() -> this.proxy.count(Operation.SYNC) >= 3);
			assertThat(this.proxy.requests()).isEmpty();
			assertThat(this.proxy.count(Operation.MULTI)).isZero();
		}
	}

}

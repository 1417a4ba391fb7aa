package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.template.LockTemplate;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.Operation;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.SessionSnapshot;
import io.interlock.zookeeper.internal.node.LockParent;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what {@link ZooKeeperLockProvider} leaves of locks that nobody uses any more.
 */
class KeysWithoutEndTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("keys").withKey(1);

	private static final int THREADS = 8;

	private static final int KEPT = 100;

	private static final int KEYS = 1000;

	private static final int USES = 25;

	private static final int LEFT = 300;

	/** Short, for idle parents are looked at ten times in it. */
	private static final Duration IDLE_TIME = Duration.ofMillis(200);

	/** Long enough for twenty such looks. */
	private static final Duration LOOKS = Duration.ofMillis(400);

	private static LocalServer server;

	private final AtomicLong clock = new AtomicLong();

	private ZooKeeperProxy proxy;

	@BeforeAll
	static void start() throws Exception {
		server = new LocalServer();
	}

	@AfterAll
	static void stop() throws Exception {
		server.close();
	}

	@BeforeEach
	void connect() {
		this.proxy = ZooKeeperProxy.to(server.port());
	}

	@AfterEach
	void disconnect() throws Exception {
		this.proxy.close();
		server.observer().delete().quietly().deletingChildrenIfNeeded().forPath(Instance.ROOT);
	}

	/**
	 * Wait until the parent is idle, which it becomes after the release has returned.
	 */
	private static void awaitIdle(IdleParents parents) {
		await().until(() -> !parents.isEmpty() && !parents.isUsed(LocalServer.pathOf(REQUEST)));
	}

	private void pass(Duration time) {
		this.clock.addAndGet(time.toNanos());
	}

	@ParameterizedTest
	@EnumSource(Recipe.class)
	void parentIsDeletedWhenItWasIdle(Recipe recipe) {
		IdleParents parents = idleParents();
		try (Instance instance = instance(recipe, parents)) {
			instance.template().acquire(REQUEST).close();
			awaitIdle(parents);
			pass(IDLE_TIME.minusNanos(1));
			await().during(LOOKS).until(() -> exists(REQUEST));
			pass(Duration.ofNanos(1));
			await().until(() -> !exists(REQUEST));
			await().until(parents::isEmpty);
		}
	}

	@Test
	void parentIsDeletedAfterAWaitInVain() throws Exception {
		IdleParents parents = idleParents();
		try (Instance instance = instance(Recipe.PIPELINED, parents);
				Instance other = Instance.connectedTo(server.connectString())) {
			LockHandle held = other.template().acquire(REQUEST);
			assertThat(instance.client().blockUntilConnected(10, TimeUnit.SECONDS)).isTrue();
			assertThat(instance.template().tryAcquire(REQUEST.withWaitTime(Duration.ofSeconds(2)))).isEmpty();
			// The parent is looked at once after the wait, and must be free by then.
			held.close();
			await().until(() -> server.contenders(REQUEST).isEmpty());
			awaitIdle(parents);
			pass(IDLE_TIME);
			await().until(() -> !exists(REQUEST));
			await().until(parents::isEmpty);
		}
	}

	@Test
	void parentOfAHeldLockIsNotEvenLookedAt() {
		try (Instance instance = instance(Recipe.PIPELINED, idleParents())) {
			instance.template().acquire(REQUEST).close();
			this.proxy.forget();
			try (LockHandle held = instance.template().acquire(REQUEST)) {
				await().until(() -> this.proxy.count(Operation.EXISTS) > 0);
				pass(IDLE_TIME.multipliedBy(2));
				await().during(LOOKS).until(held::isValid);
				assertThat(this.proxy.count(Operation.EXISTS)).as("the watch of a long hold").isEqualTo(1);
				assertThat(this.proxy.count(Operation.DELETE)).isZero();
			}
		}
	}

	@Test
	void parentOfALockThatOthersHoldIsLeftToThem() throws Exception {
		IdleParents parents = idleParents();
		try (Instance instance = instance(Recipe.PIPELINED, parents);
				Instance other = Instance.connectedTo(server.connectString())) {
			assertThat(other.client().blockUntilConnected(10, TimeUnit.SECONDS)).isTrue();
			instance.template().acquire(REQUEST).close();
			awaitIdle(parents);
			this.proxy.forget();
			try (LockHandle held = other.template().acquire(REQUEST)) {
				pass(IDLE_TIME);
				await().until(() -> this.proxy.count(Operation.EXISTS) == 1);
				assertThat(held.isValid()).isTrue();
				assertThat(this.proxy.count(Operation.DELETE)).isZero();
			}
		}
	}

	@Test
	void parentThatSomebodyMadeToStayIsLeftAlone() throws Exception {
		server.observer()
			.create()
			.creatingParentsIfNeeded()
			.withMode(CreateMode.PERSISTENT)
			.forPath(LocalServer.pathOf(REQUEST));
		IdleParents parents = idleParents();
		try (Instance instance = instance(Recipe.PIPELINED, parents)) {
			instance.template().acquire(REQUEST).close();
			awaitIdle(parents);
			// A hold that took long was watched.
			this.proxy.forget();
			pass(IDLE_TIME);
			await().until(parents::isEmpty);
			await().until(() -> this.proxy.count(Operation.EXISTS) == 1);
			assertThat(this.proxy.count(Operation.DELETE)).isZero();
			assertThat(exists(REQUEST)).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource(Recipe.class)
	void parentIsKeptForClientsThatMakeItOnce(Recipe recipe) throws Exception {
		server.observer().create().forPath(Instance.ROOT);
		IdleParents parents = idleParents();
		ZooKeeperLockSettings keeping = new ZooKeeperLockSettings(Instance.ROOT, "test", Duration.ofSeconds(5), recipe,
				Map.of(), Set.of(REQUEST.id().name()), false, OwnerRecord.Details.NONE, OwnerRecord.LockData.FULL);
		try (Instance instance = Instance.with(this.proxy.connectString(), keeping, parents)) {
			instance.template().acquire(REQUEST).close();
			NumberedLock foreign = new NumberedLock(server.observer(), LocalServer.pathOf(REQUEST), "lock-");
			awaitIdle(parents);
			pass(IDLE_TIME);
			await().until(parents::isEmpty);
			await().until(() -> this.proxy.count(Operation.DELETE) == 1);
			foreign.acquire();
			foreign.release();
		}
		assertThat(this.proxy.count(Operation.CREATE_CONTAINER)).as("ZooKeeper deletes containers too").isZero();
	}

	@ParameterizedTest
	@EnumSource(Recipe.class)
	void clientThatForbidsContainersGetsPlainParents(Recipe recipe) throws Exception {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(this.proxy.connectString())
			.retryPolicy(new RetryForever(50))
			.ensembleTracker(false)
			.dontUseContainerParents()
			.build();
		client.start();
		ZooKeeperLockSettings settings = new ZooKeeperLockSettings(Instance.ROOT, "test", Duration.ofSeconds(5), recipe,
				Map.of(), false);
		try (client; ZooKeeperLockProvider provider = new ZooKeeperLockProvider(client, settings, null, null)) {
			try (LockHandle held = new LockTemplate(provider).acquire(REQUEST)) {
				assertThat(held.isValid()).isTrue();
			}
		}
		assertThat(this.proxy.count(Operation.CREATE_CONTAINER)).isZero();
	}

	/**
	 * Their instance has stopped, and no caller asks for the locks again.
	 */
	@Test
	@Proves(value = Promise.NOTHING_IS_LEFT_BEHIND, under = Fault.THE_APPLICATION_STOPS)
	void nodesThatKeptLocksAreSweptByAnotherInstance() throws Exception {
		long now = System.currentTimeMillis();
		for (int key = 0; key < LEFT; key++) {
			keep("ended:" + key, now - TimeUnit.MINUTES.toMillis(2));
		}
		String kept = keep("kept", now + TimeUnit.HOURS.toMillis(1));
		// More than are remembered would be left to ZooKeeper, which takes its time.
		IdleParents parents = new IdleParents(IDLE_TIME, LEFT, LEFT, this.clock::get);
		try (Instance instance = instance(Recipe.PIPELINED, parents);
				LockHandle held = instance.template().acquire(REQUEST)) {
			pass(Duration.ofMinutes(10));
			await().untilAsserted(() -> {
				pass(IDLE_TIME);
				assertThat(countParents()).as("this lock, and the one that is kept").isEqualTo(2);
			});
			assertThat(held.isValid()).isTrue();
			assertThat(server.observer().checkExists().forPath(kept)).isNotNull();
		}
	}

	private static String keep(String lock, long end) throws Exception {
		LockParent parent = new LockParent(Instance.ROOT + "/" + lock, false, false);
		parent.create(server.observer());
		return server.observer().create().forPath(parent.path() + "/kept-exclusive-7-" + end);
	}

	@Test
	void parentThatIsIdleInAnOutageIsDeletedAfterIt() throws Exception {
		IdleParents parents = idleParents();
		try (Instance instance = instance(Recipe.PIPELINED, parents)) {
			instance.template().acquire(REQUEST).close();
			awaitIdle(parents);
			this.proxy.refuse();
			await().until(() -> !instance.provider().session().state().equals(SessionSnapshot.State.CONNECTED));
			pass(IDLE_TIME);
			await().during(LOOKS).until(() -> exists(REQUEST));
			this.proxy.heal();
			await().until(() -> !exists(REQUEST));
		}
	}

	@Test
	@Proves(Promise.NOTHING_IS_LEFT_BEHIND)
	void manyKeysLeaveABoundedNumberOfParents() throws Exception {
		IdleParents parents = new IdleParents(Duration.ofHours(1), KEPT, 2 * KEPT, System::nanoTime);
		try (Instance instance = instance(Recipe.PIPELINED, parents)) {
			List<Callable<?>> tasks = new ArrayList<>();
			AtomicInteger next = new AtomicInteger();
			AtomicInteger most = new AtomicInteger();
			for (int thread = 0; thread < THREADS; thread++) {
				tasks.add(() -> {
					for (int key = next.incrementAndGet(); key <= KEYS; key = next.incrementAndGet()) {
						instance.template().acquire(LockRequest.exclusive("many").withKey(key)).close();
						if (key % 50 == 0) {
							most.accumulateAndGet(countParents(), Math::max);
						}
					}
					return null;
				});
			}
			UnguardedCounter.runTogether(tasks);
			assertThat(most.get()).isBetween(KEPT, KEPT + 64 + THREADS);
			await().untilAsserted(() -> assertThat(countParents()).isEqualTo(KEPT));
			assertThat(parents.size()).isEqualTo(KEPT);
		}
	}

	@ParameterizedTest
	@EnumSource(Recipe.class)
	void deletionsReachNoCaller(Recipe recipe) throws Exception {
		IdleParents parents = new IdleParents(Duration.ZERO, 0, KEPT, System::nanoTime);
		UnguardedCounter[] counters = { new UnguardedCounter(), new UnguardedCounter(), new UnguardedCounter() };
		try (Instance one = instance(recipe, parents);
				Instance two = instance(recipe, new IdleParents(Duration.ZERO, 0, KEPT, System::nanoTime))) {
			List<Callable<?>> tasks = new ArrayList<>();
			for (int thread = 0; thread < THREADS; thread++) {
				Instance instance = (thread % 2 == 0) ? one : two;
				tasks.add(() -> count(instance, counters));
			}
			UnguardedCounter.runTogether(tasks);
			assertThat(counters).extracting(UnguardedCounter::value).containsOnly(THREADS * USES);
			await().until(parents::isEmpty);
			if (recipe == Recipe.PIPELINED) {
				// In such a race the stock recipe makes parents that bear no mark.
				await().until(() -> countParents() == 0);
			}
		}
	}

	private static int count(Instance instance, UnguardedCounter[] counters) {
		for (int i = 0; i < USES * counters.length; i++) {
			UnguardedCounter counter = counters[i % counters.length];
			LockRequest request = LockRequest.exclusive("races")
				.withKey(i % counters.length)
				.withWaitTime(Duration.ofSeconds(30));
			instance.template().executeWithoutResult(request, (lock) -> counter.increment());
		}
		return counters.length;
	}

	private Instance instance(Recipe recipe, IdleParents parents) {
		return Instance.with(this.proxy.connectString(), Instance.settings(recipe, Map.of()), parents);
	}

	private IdleParents idleParents() {
		return new IdleParents(IDLE_TIME, KEPT, KEPT, this.clock::get);
	}

	private boolean exists(LockRequest request) {
		try {
			return server.observer().checkExists().forPath(LocalServer.pathOf(request)) != null;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private int countParents() {
		try {
			return server.observer().getChildren().forPath(Instance.ROOT).size();
		}
		catch (NoNodeException ex) {
			return 0;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}

package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.proxy.Operation;
import io.interlock.testsupport.proxy.ZooKeeperProxy;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.SessionSnapshot;
import io.interlock.zookeeper.internal.node.InstanceDetails;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.junit.jupiter.api.AfterEach;
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

	private static final Duration BRIEF = Duration.ofMillis(200);

	private LocalServer server;

	private ZooKeeperProxy proxy;

	@BeforeEach
	void connect() throws Exception {
		this.server = new LocalServer();
		this.proxy = ZooKeeperProxy.to(this.server.port());
	}

	@AfterEach
	void disconnect() throws Exception {
		this.proxy.close();
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource(Recipe.class)
	void parentIsDeletedWhenItWasIdle(Recipe recipe) {
		IdleParents parents = briefly();
		try (Instance instance = instance(recipe, parents)) {
			LockHandle held = instance.template().acquire(REQUEST);
			long before = System.nanoTime();
			held.close();
			// This thread may stand still for as long as the parent may be idle.
			assertThat(exists(REQUEST) || System.nanoTime() - before >= BRIEF.toNanos()).isTrue();
			await().until(() -> !exists(REQUEST));
			await().until(parents::isEmpty);
		}
	}

	@Test
	void parentIsDeletedAfterAWaitInVain() throws Exception {
		IdleParents parents = longEnoughToGoOn();
		try (Instance instance = instance(Recipe.PIPELINED, parents);
				Instance other = Instance.connectedTo(this.server.connectString())) {
			LockHandle held = other.template().acquire(REQUEST);
			assertThat(instance.client().blockUntilConnected(10, TimeUnit.SECONDS)).isTrue();
			assertThat(instance.template().tryAcquire(REQUEST.withWaitTime(Duration.ofSeconds(3)))).isEmpty();
			// The parent is looked at once after the wait, and must be free by then.
			held.close();
			await().until(() -> !exists(REQUEST));
			await().until(parents::isEmpty);
		}
	}

	@Test
	void parentOfAHeldLockIsNotEvenLookedAt() {
		try (Instance instance = instance(Recipe.PIPELINED, longEnoughToGoOn())) {
			instance.template().acquire(REQUEST).close();
			this.proxy.forget();
			try (LockHandle held = instance.template().acquire(REQUEST)) {
				await().until(() -> this.proxy.count(Operation.GET_DATA) > 0);
				await().during(Duration.ofSeconds(4)).until(held::isValid);
				assertThat(this.proxy.count(Operation.GET_DATA)).as("the watch of a long hold").isEqualTo(1);
				assertThat(this.proxy.count(Operation.DELETE)).isZero();
			}
		}
	}

	@Test
	void parentOfALockThatOthersHoldIsLeftToThem() throws Exception {
		try (Instance instance = instance(Recipe.PIPELINED, longEnoughToGoOn());
				Instance other = Instance.connectedTo(this.server.connectString())) {
			assertThat(other.client().blockUntilConnected(10, TimeUnit.SECONDS)).isTrue();
			instance.template().acquire(REQUEST).close();
			this.proxy.forget();
			try (LockHandle held = other.template().acquire(REQUEST)) {
				await().until(() -> this.proxy.count(Operation.GET_DATA) == 1);
				assertThat(held.isValid()).isTrue();
				assertThat(this.proxy.count(Operation.DELETE)).isZero();
			}
		}
	}

	@Test
	void parentThatSomebodyMadeToStayIsLeftAlone() throws Exception {
		this.server.observer()
			.create()
			.creatingParentsIfNeeded()
			.withMode(CreateMode.PERSISTENT)
			.forPath(LocalServer.pathOf(REQUEST));
		IdleParents parents = longEnoughToGoOn();
		try (Instance instance = instance(Recipe.PIPELINED, parents)) {
			instance.template().acquire(REQUEST).close();
			// A hold that took long was watched.
			this.proxy.forget();
			await().until(parents::isEmpty);
			await().until(() -> this.proxy.count(Operation.GET_DATA) == 1);
			assertThat(this.proxy.count(Operation.DELETE)).isZero();
			assertThat(exists(REQUEST)).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource(Recipe.class)
	void parentIsKeptForClientsThatMakeItOnce(Recipe recipe) throws Exception {
		this.server.observer().create().forPath(Instance.ROOT);
		IdleParents parents = briefly();
		ZooKeeperLockSettings keeping = new ZooKeeperLockSettings(Instance.ROOT, "test", Duration.ofSeconds(5), recipe,
				Map.of(), Set.of(REQUEST.id().name()), false, InstanceDetails.NONE);
		try (Instance instance = Instance.with(this.proxy.connectString(), keeping, parents)) {
			instance.template().acquire(REQUEST).close();
			NumberedLock foreign = new NumberedLock(this.server.observer(), LocalServer.pathOf(REQUEST), "lock-");
			await().until(parents::isEmpty);
			await().until(() -> this.proxy.count(Operation.DELETE) == 1);
			foreign.acquire();
			foreign.release();
		}
		assertThat(this.proxy.count(Operation.CREATE_CONTAINER)).as("ZooKeeper deletes containers too").isZero();
	}

	@Test
	void parentThatIsIdleInAnOutageIsDeletedAfterIt() throws Exception {
		try (Instance instance = instance(Recipe.PIPELINED, longEnoughToGoOn())) {
			instance.template().acquire(REQUEST).close();
			this.proxy.refuse();
			await().until(() -> !instance.provider().session().state().equals(SessionSnapshot.State.CONNECTED));
			await().during(Duration.ofSeconds(4)).until(() -> exists(REQUEST));
			this.proxy.heal();
			await().until(() -> !exists(REQUEST));
		}
	}

	@Test
	@Proves(Promise.NOTHING_IS_LEFT_BEHIND)
	void manyKeysLeaveABoundedNumberOfParents() throws Exception {
		IdleParents parents = new IdleParents(Duration.ofHours(1), KEPT, 2 * KEPT);
		try (Instance instance = instance(Recipe.PIPELINED, parents)) {
			List<Callable<?>> tasks = new ArrayList<>();
			AtomicInteger next = new AtomicInteger();
			AtomicInteger most = new AtomicInteger();
			for (int thread = 0; thread < THREADS; thread++) {
				tasks.add(() -> {
					for (int key = next.incrementAndGet(); key <= 4000; key = next.incrementAndGet()) {
						instance.template().acquire(LockRequest.exclusive("many").withKey(key)).close();
						if (key % 100 == 0) {
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
		IdleParents parents = new IdleParents(Duration.ZERO, 0, KEPT);
		UnguardedCounter[] counters = { new UnguardedCounter(), new UnguardedCounter(), new UnguardedCounter() };
		try (Instance one = instance(recipe, parents);
				Instance two = instance(recipe, new IdleParents(Duration.ZERO, 0, KEPT))) {
			List<Callable<?>> tasks = new ArrayList<>();
			for (int thread = 0; thread < THREADS; thread++) {
				Instance instance = (thread % 2 == 0) ? one : two;
				tasks.add(() -> count(instance, counters));
			}
			UnguardedCounter.runTogether(tasks);
			assertThat(counters).extracting(UnguardedCounter::value).containsOnly(THREADS * 50);
			await().until(parents::isEmpty);
			if (recipe == Recipe.PIPELINED) {
				// In such a race the stock recipe makes parents that bear no mark.
				await().until(() -> countParents() == 0);
			}
		}
	}

	private static int count(Instance instance, UnguardedCounter[] counters) {
		for (int i = 0; i < 50 * counters.length; i++) {
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

	private static IdleParents briefly() {
		return new IdleParents(BRIEF, KEPT, KEPT);
	}

	/**
	 * Leave a parent alone for longer than a thread of a test stands still before its
	 * next step.
	 */
	private static IdleParents longEnoughToGoOn() {
		return new IdleParents(Duration.ofSeconds(3), KEPT, KEPT);
	}

	private boolean exists(LockRequest request) {
		try {
			return this.server.observer().checkExists().forPath(LocalServer.pathOf(request)) != null;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private int countParents() {
		try {
			return this.server.observer().getChildren().forPath(Instance.ROOT).size();
		}
		catch (NoNodeException ex) {
			return 0;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}

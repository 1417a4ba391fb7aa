package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.provider.LockCaller;
import io.interlock.template.MovedTime;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.zookeeper.Peers;
import io.interlock.zookeeper.Recipe;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Recipe#CURATOR} beside the clients that {@link Peers} names, and
 * beside instances with the other recipe and the same peers, on a server.
 */
@ExtendWith(SharedServer.class)
class StockRecipePeersTests {

	private static final Duration SESSION = Duration.ofSeconds(30);

	private static final int ROUNDS = 40;

	/** About as long as a round trip, so that two holders are seen. */
	private static final long BUSY_NANOS = 500_000;

	private final LocalServer server;

	private final List<Instance> instances = new ArrayList<>();

	private CuratorFramework plain;

	/** A lock of its own for each test, whose peers are read and write locks. */
	private String readWrite;

	private String mutex;

	StockRecipePeersTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect(TestInfo test) {
		this.mutex = "mutex-" + test.getTestMethod().orElseThrow().getName();
		this.readWrite = "read-write-" + test.getTestMethod().orElseThrow().getName();
		this.plain = Instance.client(this.server.connectString(), SESSION);
	}

	@AfterEach
	void disconnect() {
		this.instances.forEach(Instance::close);
		this.plain.close();
	}

	@Test
	@Proves(value = Promise.EXCLUSION, under = Fault.OTHER_CLIENTS_USE_THE_PATH)
	void plainMutexAndOursExcludeEachOther() throws Exception {
		LockRequest request = LockRequest.exclusive(this.mutex).withWaitTime(Duration.ZERO);
		Instance ours = instance(Recipe.CURATOR);
		InterProcessMutex stock = new InterProcessMutex(this.plain, LocalServer.pathOf(request));
		try (LockHandle held = ours.template().acquire(request)) {
			assertThat(stock.acquire(0, TimeUnit.SECONDS)).isFalse();
			assertThat(held.isValid()).isTrue();
		}
		await().untilAsserted(() -> assertThat(this.server.contenders(request)).isEmpty());
		stock.acquire();
		assertThat(ours.template().tryAcquire(request)).isEmpty();
		stock.release();
		ours.template().acquire(request).close();
	}

	@Test
	@Proves(value = Promise.EXCLUSION, under = Fault.OTHER_CLIENTS_USE_THE_PATH)
	void plainReadWriteLockAndOursExcludeEachOther() throws Exception {
		LockRequest write = LockRequest.exclusive(this.readWrite).withWaitTime(Duration.ZERO);
		LockRequest read = LockRequest.shared(this.readWrite).withWaitTime(Duration.ZERO);
		Instance ours = instance(Recipe.CURATOR);
		InterProcessReadWriteLock stock = new InterProcessReadWriteLock(this.plain, LocalServer.pathOf(write));
		try (LockHandle held = ours.template().acquire(write)) {
			assertThat(stock.readLock().acquire(0, TimeUnit.SECONDS)).isFalse();
			assertThat(stock.writeLock().acquire(0, TimeUnit.SECONDS)).isFalse();
			assertThat(held.isValid()).isTrue();
		}
		await().untilAsserted(() -> assertThat(this.server.contenders(write)).isEmpty());
		try (LockHandle held = ours.template().acquire(read)) {
			assertThat(stock.writeLock().acquire(0, TimeUnit.SECONDS)).isFalse();
			assertThat(stock.readLock().acquire(0, TimeUnit.SECONDS)).isTrue();
			assertThat(held.isValid()).isTrue();
		}
		assertThat(ours.template().tryAcquire(write)).isEmpty();
		ours.template().acquire(read).close();
		stock.readLock().release();
		stock.writeLock().acquire();
		assertThat(ours.template().tryAcquire(write)).isEmpty();
		assertThat(ours.template().tryAcquire(read)).isEmpty();
		stock.writeLock().release();
	}

	@ParameterizedTest
	@EnumSource(Peers.class)
	@Proves(Promise.EXCLUSION)
	void otherRecipeAndOursExcludeEachOther(Peers peers) {
		LockRequest request = LockRequest.exclusive(name(peers)).withWaitTime(Duration.ZERO);
		Instance stock = instance(Recipe.CURATOR);
		Instance pipelined = instance(Recipe.PIPELINED);
		assertExcludes(stock, request, pipelined, request);
		assertExcludes(pipelined, request, stock, request);
		assertExcludes(stock, request, instance(Recipe.CURATOR), request);
	}

	@Test
	@Proves(Promise.EXCLUSION)
	void readersOfOneRecipeExcludeWritersOfTheOther() {
		LockRequest write = LockRequest.exclusive(this.readWrite).withWaitTime(Duration.ZERO);
		LockRequest read = LockRequest.shared(this.readWrite).withWaitTime(Duration.ZERO);
		Instance stock = instance(Recipe.CURATOR);
		Instance pipelined = instance(Recipe.PIPELINED);
		assertExcludes(stock, read, pipelined, write);
		assertExcludes(pipelined, read, stock, write);
		assertExcludes(stock, write, pipelined, read);
		assertExcludes(pipelined, write, stock, read);
		try (LockHandle first = stock.template().acquire(read);
				LockHandle second = pipelined.template().acquire(read)) {
			assertThat(first.isValid()).isTrue();
			assertThat(second.isValid()).isTrue();
		}
	}

	/** What waits is woken too: a try only looks. */
	@ParameterizedTest
	@EnumSource(Peers.class)
	@Proves(value = Promise.EXCLUSION, under = Fault.OTHER_CLIENTS_USE_THE_PATH)
	void countsToTheEndBesidePlainClientsAndTheOtherRecipe(Peers peers) throws Exception {
		LockRequest request = LockRequest.exclusive(name(peers)).withWaitTime(Duration.ofSeconds(60));
		UnguardedCounter counter = new UnguardedCounter();
		List<Callable<?>> tasks = new ArrayList<>();
		for (Instance instance : List.of(instance(Recipe.CURATOR), instance(Recipe.PIPELINED))) {
			tasks.add(() -> count(counter, instance, request));
			tasks.add(() -> count(counter, instance, request));
		}
		tasks.add(() -> count(counter, plain(peers, request)));
		tasks.add(() -> count(counter, plain(peers, request)));
		UnguardedCounter.runTogether(tasks);
		assertThat(counter.value()).isEqualTo(6 * ROUNDS);
		await().untilAsserted(() -> assertThat(this.server.contenders(request)).isEmpty());
	}

	@ParameterizedTest
	@EnumSource(Peers.class)
	@Proves(Promise.THE_FENCING_TOKEN)
	void holdHasATokenAnOwnerAndALease(Peers peers) throws Exception {
		LockRequest request = LockRequest.exclusive(name(peers));
		Instance ours = instance(Recipe.CURATOR);
		long token;
		try (LockHandle held = ours.template().acquire(request)) {
			token = held.fencingToken();
			assertThat(held.isValid()).isTrue();
			held.verify();
			String node = this.server.contenders(request).get(0);
			assertThat(this.server.observer().getData().forPath(LocalServer.pathOf(request) + "/" + node)).asString()
				.contains("test@localhost:1");
		}
		try (LockHandle next = instance(Recipe.CURATOR).template().acquire(request)) {
			assertThat(next.fencingToken()).isGreaterThan(token);
		}
	}

	@ParameterizedTest
	@EnumSource(Peers.class)
	@Proves(Promise.HOLDING_AT_LEAST)
	void lockStaysTakenForItsMinimumTimeWhileItsInstanceLives(Peers peers) {
		LockRequest request = LockRequest.exclusive(name(peers)).withWaitTime(Duration.ZERO);
		MovedTime time = new MovedTime();
		Instance ours = Instance.queueing(this.server.connectString(), settings(Recipe.CURATOR), time);
		this.instances.add(ours);
		Instance other = instance(Recipe.CURATOR);
		ours.template().acquire(request.withMinHold(Duration.ofMinutes(10))).close();
		time.advance(Duration.ofMinutes(10).minusNanos(1));
		assertThat(other.template().tryAcquire(request)).isEmpty();
		time.advance(Duration.ofNanos(1));
		other.template().acquire(request.withWaitTime(Duration.ofSeconds(10))).close();
	}

	@Test
	void sharedRequestForAMutexFailsWithThePropertyToSet() {
		LockRequest request = LockRequest.shared(this.mutex).withKey("A-1");
		Instance ours = instance(Recipe.CURATOR);
		String property = "interlock.zookeeper.locks." + this.mutex + ".peers=read-write";
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> ours.template().acquire(request))
			.withMessageContaining("SHARED")
			.withMessageContaining("InterProcessMutex")
			.withMessageContaining(property);
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> ours.provider().attempt(request, LockCaller.current()))
			.withMessageContaining(property);
		assertThat(this.server.contenders(request)).isEmpty();
	}

	@Test
	void propertyOfANameWithDotsAndOfANamedProviderIsTheirs() {
		Instance ours = instance(Recipe.CURATOR);
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> ours.provider().capabilities(LockRequest.shared("eu.stock")))
			.withMessageContaining("interlock.zookeeper.locks.[eu.stock].peers=read-write");
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> ours.provider().capabilities(LockRequest.shared("stock").withProvider("billing")))
			.withMessageContaining("interlock.providers.billing.locks.stock.peers=read-write");
	}

	private Instance instance(Recipe recipe) {
		Instance instance = Instance.with(this.server.connectString(), SESSION, settings(recipe));
		this.instances.add(instance);
		return instance;
	}

	private ZooKeeperLockSettings settings(Recipe recipe) {
		return Instance.settings(recipe, Map.of(this.readWrite, Peers.READ_WRITE));
	}

	private String name(Peers peers) {
		return (peers == Peers.READ_WRITE) ? this.readWrite : this.mutex;
	}

	private InterProcessMutex plain(Peers peers, LockRequest request) {
		String path = LocalServer.pathOf(request);
		return (peers == Peers.READ_WRITE) ? new InterProcessReadWriteLock(this.plain, path).writeLock()
				: new InterProcessMutex(this.plain, path);
	}

	private void assertExcludes(Instance holder, LockRequest held, Instance other, LockRequest refused) {
		try (LockHandle handle = holder.template().acquire(held)) {
			assertThat(other.template().tryAcquire(refused)).isEmpty();
			assertThat(handle.isValid()).isTrue();
		}
		await().untilAsserted(() -> assertThat(this.server.contenders(held)).isEmpty());
	}

	private static @Nullable Void count(UnguardedCounter counter, Instance instance, LockRequest request) {
		for (int i = 0; i < ROUNDS; i++) {
			instance.template().executeWithoutResult(request, (lock) -> counter.increment(BUSY_NANOS));
		}
		return null;
	}

	private static @Nullable Void count(UnguardedCounter counter, InterProcessMutex lock) throws Exception {
		for (int i = 0; i < ROUNDS; i++) {
			lock.acquire();
			try {
				counter.increment(BUSY_NANOS);
			}
			finally {
				lock.release();
			}
		}
		return null;
	}

}

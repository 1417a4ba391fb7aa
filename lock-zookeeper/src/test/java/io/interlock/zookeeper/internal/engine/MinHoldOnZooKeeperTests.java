package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockHandle;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;
import io.interlock.admin.LockContender;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockInspector.QueuedLock;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.interceptor.LockAdvisor;
import io.interlock.interceptor.LockOverrides;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockCaller;
import io.interlock.template.LockSnapshot;
import io.interlock.template.MovedTime;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import io.interlock.zookeeper.internal.node.MinHoldNode;
import io.interlock.zookeeper.internal.operator.ZooKeeperLockInspector;
import io.interlock.zookeeper.internal.operator.ZooKeeperLockRevoker;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * Tests for locks that stay taken after their holder has ended, on a server.
 */
@Timeout(90)
@ExtendWith({ SharedServer.class, OutputCaptureExtension.class })
class MinHoldOnZooKeeperTests {

	private static final Duration MIN_HOLD = Duration.ofMinutes(10);

	private static final LockRequest KEPT = LockRequest.exclusive("report").withMinHold(MIN_HOLD);

	private static final LockRequest FREE = LockRequest.exclusive("report");

	private static final int FIRINGS = 50;

	private static final Duration PERIOD = Duration.ofSeconds(720);

	private static final Duration CLOCK_DIFFERENCE = Duration.ofSeconds(150);

	private static final LockRequest OTHER = LockRequest.exclusive("other");

	private final List<Instance> instances = new ArrayList<>();

	/** That of the holds of all instances. The servers keep to their own. */
	private final MovedTime time = new MovedTime();

	private final LocalServer server;

	MinHoldOnZooKeeperTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect() {
		for (int i = 0; i < 3; i++) {
			this.instances.add(Instance.queueing(this.server.connectString(), this.time));
		}
	}

	@AfterEach
	void close() throws Exception {
		this.instances.forEach((instance) -> instance.heldLocks().releaseKept());
		this.instances.forEach(Instance::close);
		this.server.observer().delete().quietly().deletingChildrenIfNeeded().forPath(LocalServer.pathOf(FREE));
	}

	@Test
	@Proves(value = Promise.HOLDING_AT_LEAST, under = Fault.CLOCKS_DIFFER, note = "by 0 to 300 s")
	void jobThatFiresOnThreeInstancesWithDifferentClocksRunsOnce() {
		AtomicInteger runs = new AtomicInteger();
		List<Settlement> jobs = this.instances.stream().map((instance) -> job(instance, runs)).toList();
		for (int firing = 1; firing <= FIRINGS; firing++) {
			for (Settlement job : jobs) {
				job.settle();
				assertThat(runs).as("runs of all firings").hasValue(firing);
				this.time.advance(CLOCK_DIFFERENCE);
			}
			this.time.advance(PERIOD.minus(CLOCK_DIFFERENCE.multipliedBy(jobs.size())));
			await().pollInterval(Duration.ofMillis(5))
				.untilAsserted(() -> assertThat(this.server.contenders(LockRequest.exclusive("settlement"))).isEmpty());
		}
	}

	private static Settlement job(Instance instance, AtomicInteger runs) {
		ProxyFactory factory = new ProxyFactory(new Settlement(runs));
		factory.addAdvisor(
				new LockAdvisor(new MockEnvironment(), (name) -> LockOverrides.Change.NONE, null, instance::template));
		return (Settlement) factory.getProxy();
	}

	@Test
	@Proves(value = Promise.HOLDING_AT_LEAST, under = Fault.A_NODE_IS_DELETED)
	void lockStaysTakenForAllInstancesUntilTheNodeIsDeleted() throws Exception {
		Instance holder = this.instances.get(0);
		holder.template().acquire(KEPT).close();
		assertTaken();
		this.server.observer().delete().forPath(LocalServer.pathOf(FREE) + "/" + kept().get(0).name());
		this.instances.get(1).template().acquire(FREE).close();
		await().untilAsserted(() -> assertThat(holder.heldLocks().held()).isEmpty());
	}

	@Test
	@Proves(value = Promise.HOLDING_AT_LEAST, under = Fault.THE_SESSION_EXPIRES)
	void lockStaysTakenWhenTheSessionOfItsInstanceHasEnded() throws Exception {
		Instance holder = this.instances.get(0);
		holder.template().acquire(KEPT).close();
		assertTaken();
		holder.client().getZookeeperClient().getZooKeeper().getTestable().injectSessionExpiration();
		holder.template().acquire(OTHER).close();
		assertTaken();
		assertThat(holder.heldLocks().held()).filteredOn((lock) -> lock.id().equals(KEPT.id()))
			.singleElement()
			.matches(LockSnapshot::valid);
	}

	@Test
	@Proves(value = Promise.HOLDING_AT_LEAST, under = Fault.THE_APPLICATION_STOPS)
	void lockStaysTakenWhenItsInstanceStops() throws Exception {
		Instance holder = this.instances.get(0);
		holder.template().acquire(KEPT).close();
		holder.heldLocks().stop();
		holder.heldLocks().leaveKept(true);
		assertThat(holder.heldLocks().awaitReleased(Duration.ofSeconds(10))).isTrue();
		holder.heldLocks().keepNone();
		holder.close();
		this.instances.remove(holder);
		assertTaken();
		await().untilAsserted(() -> assertThat(this.server.contenders(FREE)).hasSize(1));
	}

	@Test
	@Proves(value = Promise.HOLDING_AT_LEAST, under = Fault.THE_APPLICATION_STOPS)
	void lockOfAnInstanceThatHasStoppedIsFreeAtItsEnd() throws Exception {
		Duration minHold = Duration.ofSeconds(1);
		Instance holder = this.instances.get(0);
		long acquiredBefore = System.currentTimeMillis();
		LockHandle held = holder.template().acquire(FREE.withMinHold(minHold));
		// The end is reckoned from the moment at which the node was asked for, and
		// rounded up twice.
		long ahead = System.currentTimeMillis() - acquiredBefore + 2;
		held.close();
		holder.heldLocks().leaveKept(true);
		assertThat(holder.heldLocks().awaitReleased(Duration.ofSeconds(10))).isTrue();
		assertThat(kept()).singleElement()
			.satisfies((node) -> assertThat(node.end()).isBetween(acquiredBefore + minHold.toMillis(),
					System.currentTimeMillis() + minHold.toMillis() + ahead));
		try (LockHandle next = this.instances.get(1).template().acquire(FREE)) {
			assertThat(System.currentTimeMillis() - acquiredBefore).isGreaterThanOrEqualTo(minHold.toMillis());
			assertThat(next.isValid()).isTrue();
		}
		// The next caller has cleared up.
		await().untilAsserted(() -> assertThat(this.server.contenders(FREE)).isEmpty());
	}

	@Test
	@Proves(Promise.HOLDING_AT_LEAST)
	void lockIsFreeAndNothingIsLeftWhenTheTimeIsOver() throws Exception {
		Instance holder = this.instances.get(0);
		holder.template().acquire(KEPT).close();
		assertTaken();
		this.time.advance(MIN_HOLD.minusNanos(1));
		assertTaken();
		this.time.advance(Duration.ofNanos(1));
		this.instances.get(1).template().acquire(FREE).close();
		await().untilAsserted(() -> assertThat(this.server.contenders(FREE)).isEmpty());
		assertThat(holder.heldLocks().held()).isEmpty();
	}

	@Test
	void waiterThatStoodBehindTheHolderWaitsForTheTime() throws Exception {
		LockHandle held = this.instances.get(0).template().acquire(KEPT);
		Background<Boolean> waiter = Background.start(() -> {
			this.instances.get(1).template().acquire(FREE).close();
			return true;
		});
		await().until(() -> this.server.contenders(FREE).size() == 2);
		held.close();
		await().until(() -> kept().size() == 1);
		this.time.advance(MIN_HOLD.minusNanos(1));
		assertThat(this.instances.get(2).template().tryAcquire(FREE)).isEmpty();
		assertThat(waiter.isRunning()).isTrue();
		this.time.advance(Duration.ofNanos(1));
		assertThat(waiter.join()).isTrue();
	}

	@Test
	void readersShareAKeptReadLock() {
		LockRequest reader = LockRequest.shared("report");
		this.instances.get(0).template().acquire(reader.withMinHold(Duration.ofMinutes(10))).close();
		await().until(() -> kept().size() == 1);
		this.instances.get(1).template().acquire(reader).close();
		assertThat(this.instances.get(1).template().tryAcquire(FREE)).isEmpty();
	}

	@Test
	void keptPermitIsMissing() {
		LockRequest permit = LockRequest.semaphore("pool", 2);
		this.instances.get(0).template().acquire(permit.withMinHold(Duration.ofMinutes(10))).close();
		await().until(() -> MinHoldNode.parseAll(this.server.contenders(permit)).size() == 1);
		try (LockHandle other = this.instances.get(1).template().acquire(permit)) {
			assertThat(other.isValid()).isTrue();
			assertThat(this.instances.get(2).template().tryAcquire(permit)).isEmpty();
		}
	}

	@Test
	void operatorOfTheInstanceFreesIt() {
		Instance holder = this.instances.get(0);
		holder.template().acquire(KEPT).close();
		assertTaken();
		holder.heldLocks().requestRevocation((handle) -> true, new RevocationRequest("operator", Instant.now()));
		this.instances.get(1).template().acquire(FREE).close();
		await().untilAsserted(() -> assertThat(this.server.contenders(FREE)).isEmpty());
	}

	@Test
	@Proves(value = Promise.OPERATORS, under = Fault.THE_APPLICATION_STOPS)
	void clusterShowsUntilWhenItIsKeptAndOperatorsFreeIt() throws Exception {
		Instance holder = this.instances.get(0);
		LockHandle handle = holder.template().acquire(KEPT);
		handle.close();
		await().until(() -> kept().size() == 1);
		QueuedLock lock = new ZooKeeperLockInspector(holder.client(), Instance.ROOT, Instance.PATIENCE)
			.locks(new LockInspector.Query("report", null, 0, 10, 10))
			.locks()
			.get(0);
		assertThat(lock.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(lock.blockedBy()).isNull();
		assertThat(lock.others()).isEmpty();
		assertThat(lock.holders()).singleElement().satisfies((node) -> {
			assertThat(node.kind()).isEqualTo(LockContender.Kind.INTERLOCK_KEPT);
			assertThat(node.keptUntil()).isEqualTo(Instant.ofEpochMilli(kept().get(0).end()));
			assertThat(node.token()).isEqualTo(handle.fencingToken());
			assertThat(node.session()).isNull();
			assertThat(node.owner()).isNotNull();
		});
		new ZooKeeperLockRevoker(this.instances.get(1).client(), Instance.ROOT, Instance.PATIENCE).release(FREE.id(),
				handle.fencingToken());
		this.instances.get(1).template().acquire(FREE).close();
		await().untilAsserted(() -> assertThat(holder.heldLocks().held()).isEmpty());
	}

	@Test
	void nodeThatNoInstanceWritesConcernsNoLock() throws Exception {
		Instance instance = this.instances.get(0);
		plant("kept-exclusive-9999999999999999999-1800000000000");
		plant("kept-exclusive-7-9999999999999999999");
		LockHandle held = instance.template().acquire(OTHER);
		ZooKeeperLockInspector inspector = new ZooKeeperLockInspector(instance.client(), Instance.ROOT,
				Instance.PATIENCE);
		assertThat(inspector.locks(new LockInspector.Query(null, null, 0, 10, 10)).locks())
			.extracting(QueuedLock::name, (lock) -> lock.others().size())
			.contains(tuple("other", 0), tuple("report", 2));
		held.close();
		LockHandle second = instance.template().acquire(FREE);
		new ZooKeeperLockRevoker(instance.client(), Instance.ROOT, Instance.PATIENCE).release(FREE.id(),
				second.fencingToken());
		second.close();
	}

	@Test
	void nodeThatKeepsALockForLongerThanAnyMinimumTimeIsIgnoredAndReportedOnce(CapturedOutput output) throws Exception {
		Instance instance = this.instances.get(0);
		String name = "kept-exclusive-7-" + Instant.now().plus(Duration.ofDays(36_500)).toEpochMilli();
		plant(name);
		instance.template().acquire(FREE).close();
		instance.template().tryAcquire(FREE).orElseThrow().close();
		String path = LocalServer.pathOf(FREE) + "/" + name;
		assertThat(output).containsOnlyOnce("Node %s keeps its lock".formatted(path))
			.contains("'delete %s'".formatted(path));
		assertThat(lock(instance).others()).containsExactly(name);
	}

	@Test
	void keptNodeThatAnAttemptWaitsForIsTheBlocker() throws Exception {
		Instance instance = this.instances.get(0);
		String name = "kept-exclusive-7-" + Instant.now().plus(MIN_HOLD).toEpochMilli();
		plant(name);
		LockAttempt waiting = instance.provider().attempt(FREE, LockCaller.current());
		await().until(() -> this.server.contenders(FREE).size() == 2);
		assertThat(lock(instance).blockedBy()).isEqualTo(name);
		waiting.abandon();
	}

	private void plant(String name) throws Exception {
		this.server.observer()
			.create()
			.creatingParentContainersIfNeeded()
			.forPath(LocalServer.pathOf(FREE) + "/" + name, new byte[0]);
	}

	private static QueuedLock lock(Instance instance) {
		return new ZooKeeperLockInspector(instance.client(), Instance.ROOT, Instance.PATIENCE)
			.locks(new LockInspector.Query("report", null, 0, 10, 10))
			.locks()
			.get(0);
	}

	@Test
	void stockClientsDoNotWaitForAKeptLock() throws Exception {
		this.instances.get(0).template().acquire(KEPT).close();
		assertTaken();
		InterProcessMutex mutex = new InterProcessMutex(this.server.observer(), LocalServer.pathOf(FREE));
		assertThat(mutex.acquire(10, TimeUnit.SECONDS)).isTrue();
		mutex.release();
		InterProcessReadWriteLock locks = new InterProcessReadWriteLock(this.server.observer(),
				LocalServer.pathOf(FREE));
		assertThat(locks.writeLock().acquire(10, TimeUnit.SECONDS)).isTrue();
		locks.writeLock().release();
	}

	private void assertTaken() {
		await().until(() -> kept().size() == 1);
		for (Instance instance : this.instances) {
			assertThat(instance.template().tryAcquire(FREE)).isEmpty();
		}
	}

	private List<MinHoldNode> kept() {
		return MinHoldNode.parseAll(this.server.contenders(FREE));
	}

	/**
	 * A job with a lock.
	 */
	static class Settlement {

		private final AtomicInteger runs;

		Settlement(AtomicInteger runs) {
			this.runs = runs;
		}

		@DistributedLock(name = "settlement", minHold = "510s", onContention = ContentionPolicy.SKIP)
		public void settle() {
			this.runs.incrementAndGet();
		}

	}

}

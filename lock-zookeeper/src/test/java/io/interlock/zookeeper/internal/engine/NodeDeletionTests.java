package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.interlock.LockHandle;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.TransactionOp;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for nodes that somebody else deletes: an administrator, or the servers that reap
 * empty parents.
 */
@ExtendWith(SharedServer.class)
class NodeDeletionTests {

	private static final int MAX_ROUNDS = 20_000;

	private final LocalServer server;

	private final RecordingListener listener = new RecordingListener();

	private LockRequest request;

	private Instance instance;

	NodeDeletionTests(LocalServer server) {
		this.server = server;
	}

	@BeforeEach
	void connect(TestInfo test) {
		this.request = LockRequest.exclusive(test.getDisplayName());
		this.instance = Instance.connectedTo(this.server.connectString(), this.listener);
	}

	@AfterEach
	void disconnect() {
		this.instance.close();
	}

	@Test
	void holderLearnsOfADeletedNode() throws Exception {
		LockHandle held = this.instance.template().acquire(this.request);
		deleteOnlyNode();
		await().until(() -> !held.isValid());
		await().untilAsserted(() -> assertThat(this.listener.lost()).hasSize(1));
		held.close();
	}

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.A_NODE_IS_DELETED)
	@Proves(value = Promise.A_LOSS_IS_TOLD, under = Fault.A_NODE_IS_DELETED)
	void holderOfAWatchedNodeLearnsOfItsDeletion() throws Exception {
		LockHandle held = this.instance.template().acquire(this.request);
		await().until(() -> this.server.watches() > 0);
		deleteOnlyNode();
		await().until(() -> !held.isValid());
		await().untilAsserted(() -> assertThat(this.listener.lost()).hasSize(1));
		held.close();
		assertThat(this.listener.lost()).hasSize(1);
	}

	@Test
	void bodyOfADeletedNodeEndsWithLockLost() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.instance.template().executeWithoutResult(this.request, (lock) -> deleteOnlyNode()));
		await().untilAsserted(() -> assertThat(this.listener.lost()).hasSize(1));
	}

	@Test
	void changedDataIsNoLoss() throws Exception {
		try (LockHandle held = this.instance.template().acquire(this.request)) {
			await().until(() -> this.server.watches() > 0);
			this.server.observer().setData().forPath(onlyNode(), new byte[] { 1 });
			await().until(() -> this.server.watches() > 0);
			assertThat(held.isValid()).isTrue();
			deleteOnlyNode();
			await().until(() -> !held.isValid());
		}
	}

	@Test
	@Proves(value = Promise.EXCLUSION, under = Fault.A_NODE_IS_DELETED)
	void waiterWhoseNodeIsDeletedQueuesAgain() throws Exception {
		try (Instance other = Instance.connectedTo(this.server.connectString())) {
			LockHandle held = other.template().acquire(this.request);
			String holder = onlyNode();
			CompletableFuture<LockHandle> waiting = CompletableFuture
				.supplyAsync(() -> this.instance.template().acquire(this.request));
			await().until(() -> this.server.contenders(this.request).size() == 2);
			for (String name : this.server.contenders(this.request)) {
				String path = LocalServer.pathOf(this.request) + "/" + name;
				if (!path.equals(holder)) {
					this.server.observer().delete().forPath(path);
				}
			}
			held.close();
			try (LockHandle granted = waiting.get(10, TimeUnit.SECONDS)) {
				assertThat(granted.isValid()).isTrue();
				granted.verify();
			}
		}
	}

	@Test
	void waiterWatchesItsNodeAgainAfterAChangeOfItsData() throws Exception {
		try (Instance other = Instance.connectedTo(this.server.connectString())) {
			LockHandle held = other.template().acquire(this.request);
			String holder = onlyNode();
			CompletableFuture<LockHandle> waiting = CompletableFuture
				.supplyAsync(() -> this.instance.template().acquire(this.request));
			// Each watches its own node, and the waiter that of the holder.
			await().until(() -> this.server.watches() == 3);
			String waiter = this.server.contenders(this.request)
				.stream()
				.map((name) -> LocalServer.pathOf(this.request) + "/" + name)
				.filter((path) -> !path.equals(holder))
				.findFirst()
				.orElseThrow();
			this.server.observer().setData().forPath(waiter, new byte[] { 1 });
			await().until(() -> this.server.watches() == 3);
			this.server.observer().delete().forPath(waiter);
			held.close();
			try (LockHandle granted = waiting.get(10, TimeUnit.SECONDS)) {
				granted.verify();
			}
		}
	}

	/**
	 * The one whose node is gone still hears of the release, and the next one is behind
	 * the release too by then.
	 */
	@Test
	void waiterWhoseNodeIsDeletedIsNotGrantedWithoutOne() throws Exception {
		LockRequest patient = this.request.withWaitTime(Duration.ofSeconds(30));
		UnguardedCounter counter = new UnguardedCounter();
		try (Instance other = Instance.connectedTo(this.server.connectString())) {
			LockHandle held = other.template().acquire(patient);
			Set<String> before = Set.copyOf(this.server.contenders(this.request));
			CompletableFuture<Long> second = countInBackground(this.instance, patient, counter);
			await().until(() -> this.server.contenders(this.request).size() == 2);
			String deleted = this.server.contenders(this.request)
				.stream()
				.filter((name) -> !before.contains(name))
				.findFirst()
				.orElseThrow();
			CompletableFuture<Long> third = countInBackground(other, patient, counter);
			await().until(() -> this.server.contenders(this.request).size() == 3);
			await().during(Duration.ofMillis(1200)).until(() -> !second.isDone() && !third.isDone());
			String path = LocalServer.pathOf(this.request) + "/" + deleted;
			long deletedToken = this.server.observer().checkExists().forPath(path).getCzxid();
			this.server.observer().delete().forPath(path);
			held.close();
			assertThat(second.get(20, TimeUnit.SECONDS)).as("token").isGreaterThan(deletedToken);
			assertThat(third.get(20, TimeUnit.SECONDS)).as("token").isGreaterThan(deletedToken);
			assertThat(counter.value()).isEqualTo(2);
		}
		assertThat(this.listener.lost()).isEmpty();
	}

	/**
	 * Count under the lock, for long enough to meet another one who does.
	 */
	private static CompletableFuture<Long> countInBackground(Instance instance, LockRequest request,
			UnguardedCounter counter) {
		return CompletableFuture.supplyAsync(() -> instance.template().execute(request, (lock) -> {
			lock.verify();
			counter.increment(TimeUnit.MILLISECONDS.toNanos(100));
			lock.verify();
			return lock.fencingToken();
		}), (task) -> new Thread(task).start());
	}

	@Test
	void waiterWhoseParentIsDeletedGetsTheLock() throws Exception {
		try (Instance other = Instance.connectedTo(this.server.connectString())) {
			try (LockHandle lost = other.template().acquire(this.request)) {
				CompletableFuture<LockHandle> waiting = CompletableFuture
					.supplyAsync(() -> this.instance.template().acquire(this.request));
				await().until(() -> this.server.contenders(this.request).size() == 2);
				deleteParentAtOnce();
				try (LockHandle granted = waiting.get(10, TimeUnit.SECONDS)) {
					assertThat(granted.isValid()).isTrue();
					granted.verify();
				}
				await().until(lost::isLost);
			}
		}
	}

	@Test
	@Proves(value = Promise.EXCLUSION, under = Fault.PARENTS_ARE_DELETED)
	void parentsThatAreReapedAllTheTimeReachNoCaller() throws Exception {
		AtomicBoolean done = new AtomicBoolean();
		AtomicInteger deletions = new AtomicInteger();
		CompletableFuture<?> reaper = CompletableFuture.runAsync(() -> reap(done, deletions));
		UnguardedCounter counter = new UnguardedCounter();
		int rounds = 0;
		// The client of the reaper may connect later than two hundred rounds take.
		while (rounds < 200 || (deletions.get() == 0 && rounds < MAX_ROUNDS)) {
			this.instance.template().executeWithoutResult(this.request, (lock) -> counter.increment());
			rounds++;
		}
		done.set(true);
		reaper.get(10, TimeUnit.SECONDS);
		assertThat(counter.value()).isEqualTo(rounds);
		assertThat(deletions).hasPositiveValue();
		assertThat(this.listener.lost()).isEmpty();
	}

	private void reap(AtomicBoolean done, AtomicInteger deletions) {
		try (CuratorFramework client = Instance.client(this.server.connectString(), Duration.ofSeconds(30))) {
			while (!done.get()) {
				try {
					client.delete().forPath(LocalServer.pathOf(this.request));
					deletions.incrementAndGet();
				}
				catch (KeeperException.NoNodeException | KeeperException.NotEmptyException ex) {
					LockSupport.parkNanos(100_000);
				}
			}
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * One transaction: a waiter that sees the holder's node gone and its own still there
	 * rightly has the lock. The last in the queue goes first, because news come in the
	 * order of the deletions: a waiter that hears of the holder before it hears of its
	 * own node is granted the lock, and told of its loss a moment later.
	 */
	private void deleteParentAtOnce() throws Exception {
		String parent = LocalServer.pathOf(this.request);
		TransactionOp delete = this.server.observer().transactionOp();
		List<CuratorOp> deletions = new ArrayList<>();
		List<String> lastFirst = this.server.contenders(this.request)
			.stream()
			.sorted(Comparator.comparing((String name) -> name.substring(name.length() - 10)).reversed())
			.toList();
		for (String name : lastFirst) {
			deletions.add(delete.delete().forPath(parent + "/" + name));
		}
		deletions.add(delete.delete().forPath(parent));
		this.server.observer().transaction().forOperations(deletions);
	}

	private String onlyNode() {
		return LocalServer.pathOf(this.request) + "/" + this.server.contenders(this.request).get(0);
	}

	private void deleteOnlyNode() throws Exception {
		this.server.observer().delete().forPath(onlyNode());
	}

}

package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.interlock.LockRequest;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.apache.curator.framework.api.transaction.TransactionOp;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for an operator who deletes the nodes of attempts at random moments of their
 * wait.
 */
@ExtendWith(SharedServer.class)
class RandomDeletionTests {

	private static final int DELETIONS = 1000;

	private static final int THREADS = 3;

	private static final LockRequest REQUEST = LockRequest.exclusive("deleted-at-random")
		.withWaitTime(Duration.ofMinutes(2));

	private final RecordingListener listener = new RecordingListener();

	private final UnguardedCounter counter = new UnguardedCounter();

	private final AtomicInteger rounds = new AtomicInteger();

	private final AtomicBoolean done = new AtomicBoolean();

	private final AtomicLong newest = new AtomicLong();

	private final LocalServer server;

	RandomDeletionTests(LocalServer server) {
		this.server = server;
	}

	@Test
	@Timeout(120)
	@Proves(value = Promise.EXCLUSION, under = Fault.A_NODE_IS_DELETED)
	void waitersWhoseNodesAreDeletedQueueAnew() throws Exception {
		try (Instance one = Instance.connectedTo(this.server.connectString(), this.listener);
				Instance other = Instance.connectedTo(this.server.connectString(), this.listener)) {
			List<Callable<?>> tasks = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				tasks.add(() -> countUntilDone(one));
				tasks.add(() -> countUntilDone(other));
			}
			tasks.add(this::deleteWaiters);
			UnguardedCounter.runTogether(tasks);
		}
		assertThat(this.counter.value()).isEqualTo(this.rounds.get()).isPositive();
		assertThat(this.listener.lost()).isEmpty();
		await().untilAsserted(() -> assertThat(this.server.contenders(REQUEST)).isEmpty());
	}

	private boolean countUntilDone(Instance instance) {
		while (!this.done.get()) {
			instance.template().executeWithoutResult(REQUEST, (lock) -> {
				assertThat(this.newest.getAndSet(lock.fencingToken())).isLessThan(lock.fencingToken());
				this.counter.increment(TimeUnit.MILLISECONDS.toNanos(1));
				this.rounds.incrementAndGet();
			});
		}
		return true;
	}

	private boolean deleteWaiters() throws Exception {
		try {
			Random random = new Random(7);
			for (int deleted = 0; deleted < DELETIONS;) {
				LockSupport.parkNanos(random.nextInt(2_000_000));
				if (deleteWaiter(random)) {
					deleted++;
				}
			}
			return true;
		}
		finally {
			this.done.set(true);
		}
	}

	/**
	 * Delete a node that is not the first one when it is deleted.
	 * @return whether there was one
	 */
	private boolean deleteWaiter(Random random) throws Exception {
		List<String> queue = this.server.contenders(REQUEST)
			.stream()
			.sorted(Comparator.comparing((name) -> name.substring(name.length() - 10)))
			.map((name) -> LocalServer.pathOf(REQUEST) + "/" + name)
			.toList();
		if (queue.size() < 2) {
			return false;
		}
		TransactionOp operation = this.server.observer().transactionOp();
		String waiter = queue.get(1 + random.nextInt(queue.size() - 1));
		try {
			this.server.observer()
				.transaction()
				.forOperations(operation.check().forPath(queue.get(0)), operation.delete().forPath(waiter));
			return true;
		}
		catch (NoNodeException ex) {
			return false;
		}
	}

}

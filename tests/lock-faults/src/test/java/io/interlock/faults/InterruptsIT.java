package io.interlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.interlock.LockRequest;
import io.interlock.faults.worker.Held;
import io.interlock.faults.worker.InterlockLocks;
import io.interlock.faults.worker.Interrupts;
import io.interlock.queue.QueueSettings;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.server.Ensemble;
import io.interlock.testsupport.server.ServerSettings;
import org.apache.curator.framework.CuratorFramework;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Threads that are interrupted at random while they wait, hold and release.
 */
class InterruptsIT {

	private static final int INTERRUPTS = 10_000;

	private static final int THREADS = 8;

	private static Ensemble ensemble;

	@BeforeAll
	static void start() {
		ensemble = Ensemble.linked(ServerSettings.quick().withTickTime(Duration.ofMillis(500)).withSyncLimit(10));
	}

	@AfterAll
	static void stop() {
		ensemble.close();
	}

	@Test
	@Proves(value = Promise.NOTHING_IS_LEFT_BEHIND, under = Fault.CALLERS_ARE_INTERRUPTED, note = "10,000 interrupts")
	void leaveNoNodeBehindAndLoseNoFlag() throws Exception {
		Queue<String> wrong = new ConcurrentLinkedQueue<>();
		AtomicBoolean working = new AtomicBoolean(true);
		List<Thread> threads = new ArrayList<>();
		List<Interrupts> interrupts = new ArrayList<>();
		try (InterlockLocks one = new InterlockLocks(ensemble.connectString(), Duration.ofSeconds(10),
				QueueSettings.defaults());
				InterlockLocks two = new InterlockLocks(ensemble.connectString(), Duration.ofSeconds(10),
						QueueSettings.defaults())) {
			for (int i = 0; i < THREADS; i++) {
				InterlockLocks locks = (i % 2 == 0) ? one : two;
				Interrupts own = new Interrupts();
				interrupts.add(own);
				Thread thread = new Thread(() -> work(locks, own, working, wrong), "worker-" + i);
				threads.add(thread);
				thread.start();
			}
			for (int sent = 0; sent < INTERRUPTS;) {
				LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextInt(50, 1000)));
				int target = ThreadLocalRandom.current().nextInt(THREADS);
				sent += interrupts.get(target).send(threads.get(target)) ? 1 : 0;
			}
			working.set(false);
			for (Thread thread : threads) {
				thread.join();
			}
			Awaitility.await().untilAsserted(() -> assertThat(nodesLeft(one.client())).isEmpty());
			Figures.publish("interrupts", """
					| Interrupts | flags lost or left | nodes left |
					|---|---|---|
					| %d | %d | %d |
					""".formatted(INTERRUPTS, wrong.size(), nodesLeft(one.client()).size()), "");
			assertThat(wrong).isEmpty();
		}
	}

	private static void work(InterlockLocks locks, Interrupts interrupts, AtomicBoolean working, Queue<String> wrong) {
		while (working.get()) {
			boolean shared = ThreadLocalRandom.current().nextBoolean();
			Held held = locks.acquire("interrupts", shared, LockRequest.FOREVER).held();
			if (held != null) {
				held.close();
			}
			if (ThreadLocalRandom.current().nextInt(3) == 0) {
				String complaint = interrupts.take();
				if (complaint != null) {
					wrong.add(complaint);
				}
			}
		}
	}

	private static List<String> nodesLeft(CuratorFramework client) throws Exception {
		client.sync().forPath("/");
		return (client.checkExists().forPath("/interlock/interrupts") != null)
				? client.getChildren().forPath("/interlock/interrupts") : List.of();
	}

}

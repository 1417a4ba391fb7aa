package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.interlock.LockRequest;
import io.interlock.testsupport.process.JavaProcess;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.tier.Deep;
import io.interlock.zookeeper.internal.engine.LocalServer;
import io.interlock.zookeeper.internal.engine.SharedServer;
import io.interlock.zookeeper.internal.node.MinHoldNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for a job on three instances whose clocks differ, one of which now and then stops
 * or is killed right after it has run the job.
 */
@Deep
@Timeout(480)
@ExtendWith(SharedServer.class)
class MinHoldProcessesTests {

	/** Each of the three instances is killed once and stopped once. */
	private static final int FIRINGS = 21;

	private static final int MAX_VOID = 25;

	private static final long[] LATE_MILLIS = { 0, 150, 300 };

	private static final Duration MIN_HOLD = Duration.ofSeconds(JobWorker.MIN_HOLD_SECONDS);

	private static final Duration BOUND = Duration.ofSeconds(60);

	private static final LockRequest SETTLEMENT = LockRequest.exclusive("settlement");

	private final List<JavaProcess> instances = new ArrayList<>();

	private LocalServer server;

	@AfterEach
	void endAll() {
		this.instances.forEach(JavaProcess::close);
	}

	@Test
	@Proves(value = Promise.HOLDING_AT_LEAST, under = Fault.THE_PROCESS_IS_KILLED,
			note = "when its job has run, others stop in good order, and clocks differ by 0 to 300 ms")
	void jobRunsOnceForEachFiring(LocalServer server) {
		this.server = server;
		for (int number = 0; number < LATE_MILLIS.length; number++) {
			this.instances.add(instance(number));
		}
		this.instances.forEach((instance) -> instance.await(JobWorker.READY, BOUND));
		int counted = 0;
		int voids = 0;
		for (int firing = 0; counted < FIRINGS; firing++) {
			awaitFree();
			long begin = System.nanoTime();
			int runs = fire(firing);
			// A machine that stood still has let the time pass, and the job may run
			// again.
			if (System.nanoTime() - begin < MIN_HOLD.toNanos()) {
				assertThat(runs).as("runs of firing %d", firing).isEqualTo(1);
				counted++;
			}
			else {
				voids++;
			}
			assertThat(voids).as("firings that took too long").isLessThanOrEqualTo(MAX_VOID);
			startMissing();
		}
		System.out.printf("%d firings, %d runs; %d more took too long to count%n", counted, counted, voids);
	}

	/**
	 * Fire the job on all instances. In some firings the first one is killed or stopped
	 * when it has run the job, before the others fire.
	 * @return how often the job ran
	 */
	private int fire(int firing) {
		boolean killed = firing % 7 == 2;
		boolean stopped = firing % 7 == 5;
		int first = firing % this.instances.size();
		int runs = 0;
		if (killed || stopped) {
			JavaProcess instance = this.instances.get(first);
			runs += runsOf(instance);
			if (killed) {
				await().until(() -> !kept().isEmpty());
			}
			else {
				instance.send(JobWorker.STOP);
				instance.await(JobWorker.STOPPED, BOUND);
			}
			instance.close();
		}
		List<JavaProcess> others = new ArrayList<>(this.instances);
		if (killed || stopped) {
			others.remove(first);
		}
		others.forEach((instance) -> instance.send("fire"));
		for (JavaProcess instance : others) {
			runs += instance.await(JobWorker.JOB, BOUND).equals(JobWorker.RAN) ? 1 : 0;
		}
		return runs;
	}

	private static int runsOf(JavaProcess instance) {
		instance.send("fire");
		return instance.await(JobWorker.JOB, BOUND).equals(JobWorker.RAN) ? 1 : 0;
	}

	private void startMissing() {
		for (int number = 0; number < this.instances.size(); number++) {
			if (!this.instances.get(number).isAlive()) {
				this.instances.get(number).close();
				this.instances.set(number, instance(number));
				this.instances.get(number).await(JobWorker.READY, BOUND);
			}
		}
	}

	private JavaProcess instance(int number) {
		return JavaProcess.start(JobWorker.class, null, JavaProcess.quickStart("96m"),
				List.of(this.server.connectString(), Long.toString(LATE_MILLIS[number])));
	}

	/**
	 * Wait until the lock can be acquired: by the clock of the servers, which is that of
	 * this process.
	 */
	private void awaitFree() {
		await().atMost(BOUND).until(() -> kept().stream().allMatch((node) -> node.end() <= System.currentTimeMillis()));
	}

	private List<MinHoldNode> kept() {
		return MinHoldNode.parseAll(this.server.contenders(SETTLEMENT));
	}

}
